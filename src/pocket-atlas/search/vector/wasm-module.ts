/**
 * A WebAssembly module written as instructions, enough of the format for loops over vectors in one imported memory.
 * Source: WebAssembly Core Specification 2.0, §5 "Binary Format".
 */
export interface WasmFunction {
  readonly name: string;
  /** Number of i32 parameters; there are no results. */
  readonly parameters: number;
  /** Types of the further locals, numbered after the parameters. */
  readonly locals: readonly ('i32' | 'v128')[];
  readonly body: readonly number[];
}

const TYPE = { i32: 0x7f, v128: 0x7b, function: 0x60 } as const;
const SECTION = { type: 1, import: 2, function: 3, export: 7, code: 10 } as const;
const END = 0x0b;
/** 64 KiB pages of the largest memory that 32-bit addresses reach. */
export const MAX_PAGES = 65_536;

/** A module that imports `env.memory` and exports the functions. */
export function wasmModule(functions: readonly WasmFunction[]): WebAssembly.Module {
  const types = functions.map(({ parameters }) => [
    TYPE.function,
    ...vector(Array.from({ length: parameters }, () => [TYPE.i32])),
    0,
  ]);
  const memory = [...name('env'), ...name('memory'), 0x02, 0x01, ...leb(1), ...leb(MAX_PAGES)];
  const bytes = [
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(SECTION.type, vector(types)),
    ...section(SECTION.import, vector([memory])),
    ...section(SECTION.function, vector(functions.map((_, index) => leb(index)))),
    ...section(SECTION.export, vector(functions.map((fn, index) => [...name(fn.name), 0x00, ...leb(index)]))),
    ...section(SECTION.code, vector(functions.map(code))),
  ];
  return new WebAssembly.Module(Uint8Array.from(bytes));
}

function code({ locals, body }: WasmFunction): number[] {
  const content = [...vector(locals.map((type) => [...leb(1), TYPE[type]])), ...body, END];
  return [...leb(content.length), ...content];
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...leb(content.length), ...content];
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...leb(items.length), ...items.flat()];
}

function name(text: string): number[] {
  return vector([...Buffer.from(text)].map((byte) => [byte]));
}

/** Unsigned LEB128. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

function signedLeb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const byte = rest & 0x7f;
    rest >>= 7;
    const isLast = (rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0);
    bytes.push(isLast ? byte : byte | 0x80);
    if (isLast) return bytes;
  }
}

const simd =
  (opcode: number) =>
  (...operands: number[]): number[] => [0xfd, ...leb(opcode), ...operands];
const load = (opcode: number) => (offset: number) => [0xfd, ...leb(opcode), 0, ...leb(offset)];

/** Instructions, named as in the specification. */
export const wasm = {
  get: (local: number) => [0x20, ...leb(local)],
  set: (local: number) => [0x21, ...leb(local)],
  i32: {
    const: (value: number) => [0x41, ...signedLeb(value)],
    load: (offset: number) => [0x28, 2, ...leb(offset)],
    store: (offset: number) => [0x36, 2, ...leb(offset)],
    add: [0x6a],
    lessThan: [0x49],
    isZero: [0x45],
    shiftLeft: [0x74],
  },
  v128: { zero: simd(0x0c)(...Array.from({ length: 16 }, () => 0)), load: load(0x00), xor: simd(0x51)() },
  i16x8: { load8x8: load(0x01), extaddPairwiseU: simd(0x7d)() },
  i8x16: { popcnt: simd(0x62)() },
  i32x4: {
    add: simd(0xae)(),
    dotI16x8: simd(0xba)(),
    extaddPairwiseU: simd(0x7f)(),
    lane: (lane: number) => simd(0x1b)(lane),
  },
  /** Runs `body` again and again until it branches out with `leave`. */
  repeat: (...body: readonly number[][]) => [0x02, 0x40, 0x03, 0x40, ...body.flat(), 0x0c, 0, END, END],
  /** Inside `repeat`: leaves it when the value on the stack is not zero. */
  leave: [0x0d, 1],
} as const;
