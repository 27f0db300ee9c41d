/** A file or entry of an index is not what was written. The index is a copy of what the records say: it is built again. */
export class DamagedIndex extends Error {
  constructor(what: string) {
    super(`Damaged search index: ${what}`);
    this.name = 'DamagedIndex';
  }
}
