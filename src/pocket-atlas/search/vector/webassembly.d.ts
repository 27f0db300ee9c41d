/**
 * The part of the WebAssembly API that the kernel uses. It is declared by TypeScript's browser library only, which this
 * project does not load. Source: WebAssembly JavaScript Interface.
 */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum: number });
    readonly buffer: ArrayBuffer;
    /** In pages of 64 KiB; returns the former size. Views over `buffer` are detached. */
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: { env: { memory: Memory } });
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
