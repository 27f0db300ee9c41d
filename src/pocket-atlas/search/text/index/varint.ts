/** Unsigned LEB128: positions are small, one byte mostly. */
export class VarintWriter {
  bytes = new Uint8Array(16);
  length = 0;

  write(value: number): void {
    if (this.length + 5 > this.bytes.length) {
      const grown = new Uint8Array(this.bytes.length * 2);
      grown.set(this.bytes);
      this.bytes = grown;
    }
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  result(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

export class VarintReader {
  private readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  read(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  skip(count: number): void {
    for (let left = count; left > 0; left--) while (this.bytes[this.at++]! >= 0x80);
  }
}
