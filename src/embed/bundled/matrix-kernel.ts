import { setFlagsFromString } from 'node:v8';

/**
 * The one heavy computation of the model, as a WebAssembly module assembled here: a matrix product with 128-bit SIMD over
 * a memory that threads share, so that a process holds the weights once. (TensorFlow.js keeps a copy in every thread.)
 *
 *   product(a, lda, b, bias, c, ldc, m, n, k, relu)    c[m][n] = a[m][k] · b[k][n] + bias[n], at least 0 if relu
 *
 * Row-major float32; lda and ldc in numbers, pointers in bytes. `b` is packed in panels of eight columns: panel p holds
 * b[0][8p … 8p + 7], b[1][8p … 8p + 7], and so on; n is a multiple of eight and k of four. `bias` is never null.
 *
 * Tiles of 4 × 8 keep their sums in eight registers: each step of k loads eight numbers of b and one of each row, and
 * does eight fused SIMD operations, or sixteen where there are none.
 */
export interface MatrixKernel {
  product(
    a: number,
    lda: number,
    b: number,
    bias: number,
    c: number,
    ldc: number,
    m: number,
    n: number,
    k: number,
    relu: 0 | 1,
  ): void;
}

/** Columns of a panel. */
export const PANEL = 8;
/** Steps of k in one turn of the innermost loop. */
export const UNROLLED = 4;

/** Memory of so many pages (64 KiB each) that threads can share; it never grows. */
export function sharedMemory(pages: number): WebAssembly.Memory {
  // the installed types do not know shared memories
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true } as ConstructorParameters<
    typeof WebAssembly.Memory
  >[0]);
}

/** One instance for each thread; its only state is `memory`. `isFused`: see `hasFusedMultiplyAdd`. */
export function createMatrixKernel(
  memory: WebAssembly.Memory,
  { isFused = hasFusedMultiplyAdd() }: { isFused?: boolean } = {},
): MatrixKernel {
  const pages = memory.buffer.byteLength / 65_536;
  const module = new WebAssembly.Module(assemble(pages, isFused));
  return { product: new WebAssembly.Instance(module, { env: { memory } }).exports.product as MatrixKernel['product'] };
}

/**
 * Whether this Node has the relaxed multiply-add (relaxed SIMD, WebAssembly 3.0), which does two of three operations at
 * once. Node 22 has it; Node 20 behind a flag of V8's, which is read whenever a module is compiled.
 */
export function hasFusedMultiplyAdd(): boolean {
  if (isAccepted()) return true;
  setFlagsFromString('--experimental-wasm-relaxed-simd');
  return isAccepted();
}

function isAccepted(): boolean {
  try {
    return new WebAssembly.Module(assemble(1, true)) !== undefined;
  } catch {
    return false;
  }
}

// WebAssembly Core Specification 2.0, section 5 (binary format); threads proposal for shared memories.
const I32 = 0x7f;
const V128 = 0x7b;
const OP = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  get: 0x20,
  set: 0x21,
  tee: 0x22,
  constant: 0x41,
  eqz: 0x45,
  lessSigned: 0x48,
  lessUnsigned: 0x49,
  add: 0x6a,
  subtract: 0x6b,
  multiply: 0x6c,
  shiftLeft: 0x74,
  simd: 0xfd,
} as const;
const SIMD = {
  load: 0x00,
  loadSplat32: 0x09,
  store: 0x0b,
  zero: 0x0c,
  addF32: 0xe4,
  multiplyF32: 0xe6,
  maxF32: 0xe9,
  /** a · b + c, rounded once where the processor can. */
  relaxedMultiplyAddF32: 0x105,
} as const;
const EMPTY_BLOCK = 0x40;

type Code = readonly (number | Code)[];

const unsigned = (value: number): number[] => {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const byte = rest & 0x7f;
    rest >>>= 7;
    if (rest === 0) return [...bytes, byte];
    bytes.push(byte | 0x80);
  }
};
/** Signed LEB128 of a small positive number: the sign bit must stay clear. */
const signed = (value: number): number[] => (value < 64 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]);
const section = (id: number, content: readonly number[]): number[] => [id, ...unsigned(content.length), ...content];
const name = (text: string): number[] => [...unsigned(text.length), ...Buffer.from(text)];
const flat = (code: Code): number[] => code.flatMap((part) => (typeof part === 'number' ? [part] : flat(part)));

const get = (local: number): Code => [OP.get, unsigned(local)];
const set = (local: number, value: Code): Code => [value, OP.set, unsigned(local)];
const constant = (value: number): Code => [OP.constant, signed(value)];
const add = (left: Code, right: Code): Code => [left, right, OP.add];
const multiply = (left: Code, right: Code): Code => [left, right, OP.multiply];
/** Numbers to bytes. */
const bytes = (numbers: Code): Code => [numbers, constant(2), OP.shiftLeft];
const simd = (operation: number): Code => [OP.simd, unsigned(operation)];
const load = (address: Code, offset = 0): Code => [address, simd(SIMD.load), 2, unsigned(offset)];
const splat = (address: Code, offset: number): Code => [address, simd(SIMD.loadSplat32), 2, unsigned(offset)];
const store = (address: Code, value: Code, offset = 0): Code => [address, value, simd(SIMD.store), 2, unsigned(offset)];
const zero: Code = [simd(SIMD.zero), Array<number>(16).fill(0)];
/** Runs `body` while `condition` holds; checks it first. */
const whileLoop = (condition: Code, body: Code): Code => [
  [OP.block, EMPTY_BLOCK, OP.loop, EMPTY_BLOCK],
  [condition, OP.eqz, OP.brIf, 1],
  [body, OP.br, 0, OP.end, OP.end],
];

const PARAMETERS = ['a', 'lda', 'b', 'bias', 'c', 'ldc', 'm', 'n', 'k', 'relu'] as const;
const POINTERS = ['column', 'row', 'panel', 'panelAt', 'rowEnd', 'output', 'a0', 'a1', 'a2', 'a3'] as const;
const VECTORS = [
  'biasLow',
  'biasHigh',
  'bLow',
  'bHigh',
  'factor',
  ...[0, 1, 2, 3].flatMap((row) => [`low${row}`, `high${row}`]),
];
const LOCALS: readonly string[] = [...PARAMETERS, ...POINTERS, ...VECTORS];
const local = (localName: string): number => LOCALS.indexOf(localName);
const $ = (localName: string): Code => get(local(localName));
const assign = (localName: string, value: Code): Code => set(local(localName), value);

/** A tile of `rows` × 8 at (row, column), and the steps to the next row. */
function tile(rows: number, isFused: boolean): Code {
  const all = Array.from({ length: rows }, (_, row) => row);
  const accumulate = (sum: string, b: string): Code =>
    assign(
      sum,
      isFused
        ? [$('factor'), $(b), $(sum), simd(SIMD.relaxedMultiplyAddF32)]
        : [$(sum), $('factor'), $(b), simd(SIMD.multiplyF32), simd(SIMD.addF32)],
    );
  return [
    ...all.map((row) => [
      assign(`low${row}`, $('biasLow')),
      assign(`high${row}`, $('biasHigh')),
      assign(`a${row}`, add($('a'), bytes(multiply(add($('row'), constant(row)), $('lda'))))),
    ]),
    assign('panelAt', $('panel')),
    assign('rowEnd', add($('a0'), bytes($('k')))),
    whileLoop(
      [$('a0'), $('rowEnd'), OP.lessUnsigned],
      [
        ...Array.from({ length: UNROLLED }, (_, step) => [
          assign('bLow', load($('panelAt'), step * 4 * PANEL)),
          assign('bHigh', load($('panelAt'), step * 4 * PANEL + 16)),
          ...all.map((row) => [
            assign('factor', splat($(`a${row}`), step * 4)),
            accumulate(`low${row}`, 'bLow'),
            accumulate(`high${row}`, 'bHigh'),
          ]),
        ]),
        ...all.map((row) => assign(`a${row}`, add($(`a${row}`), constant(UNROLLED * 4)))),
        assign('panelAt', add($('panelAt'), constant(UNROLLED * 4 * PANEL))),
      ],
    ),
    [$('relu'), OP.if, EMPTY_BLOCK],
    ...all.flatMap((row) => [`low${row}`, `high${row}`].map((sum) => assign(sum, [$(sum), zero, simd(SIMD.maxF32)]))),
    OP.end,
    ...all.map((row) => [
      assign('output', add($('c'), bytes(add(multiply(add($('row'), constant(row)), $('ldc')), $('column'))))),
      store($('output'), $(`low${row}`)),
      store($('output'), $(`high${row}`), 16),
    ]),
    assign('row', add($('row'), constant(rows))),
  ];
}

function assemble(pages: number, isFused: boolean): Uint8Array<ArrayBuffer> {
  const body: Code = [
    assign('column', constant(0)),
    whileLoop(
      [$('column'), $('n'), OP.lessSigned],
      [
        assign('panel', add($('b'), bytes(multiply($('column'), $('k'))))),
        assign('biasLow', load(add($('bias'), bytes($('column'))))),
        assign('biasHigh', load(add($('bias'), bytes($('column'))), 16)),
        assign('row', constant(0)),
        whileLoop([$('row'), [$('m'), constant(3), OP.subtract], OP.lessSigned], tile(4, isFused)),
        whileLoop([$('row'), $('m'), OP.lessSigned], tile(1, isFused)),
        assign('column', add($('column'), constant(PANEL))),
      ],
    ),
    OP.end,
  ];
  const locals = [2, ...unsigned(POINTERS.length), I32, ...unsigned(VECTORS.length), V128];
  const code = [...locals, ...flat(body)];
  const limits = [0x03, ...unsigned(pages), ...unsigned(pages)];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, ...unsigned(PARAMETERS.length), ...PARAMETERS.map(() => I32), 0]),
    ...section(2, [1, ...name('env'), ...name('memory'), 0x02, ...limits]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('product'), 0x00, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}
