import { KeepAsTheyArrive } from '../keep-as-they-arrive.js';

export interface ChunkVector {
  readonly id: string;
  readonly embedHash: string;
  readonly vector: Float32Array;
}

/** Writes vectors beside the embedding, so that a process that dies loses what is under way and no more. */
export class ArrivingVectors {
  readonly #write: (vectors: readonly ChunkVector[]) => Promise<unknown>;
  readonly #unwritten = new Map<string, ChunkVector>();
  readonly #keeper = new KeepAsTheyArrive<ChunkVector>((batch) => this.#writeBatch([...batch.values()]));

  constructor(write: (vectors: readonly ChunkVector[]) => Promise<unknown>) {
    this.#write = write;
  }

  add(one: ChunkVector): void {
    this.#unwritten.set(one.id, one);
    this.#keeper.add(one.id, one);
  }

  /** What is left, and what failed to be written before: now its failure counts. */
  async writeRest(): Promise<void> {
    await this.#keeper.stop();
    await this.#writeBatch([...this.#unwritten.values()]);
  }

  async #writeBatch(batch: readonly ChunkVector[]): Promise<void> {
    await this.#write(batch);
    for (const { id } of batch) this.#unwritten.delete(id);
  }
}
