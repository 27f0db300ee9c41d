import { Embeddings } from '@langchain/core/embeddings';
import { createHashEmbedder } from '../src/embed/hash.js';

/** The `hash` embedder as LangChain takes embedders. */
export class HashEmbeddings extends Embeddings {
  readonly embedder = createHashEmbedder();

  constructor() {
    super({});
  }

  async embedDocuments(texts: string[]): Promise<number[][]> {
    return (await this.embedder.embed(texts, { kind: 'document' })).map((vector) => [...vector]);
  }

  async embedQuery(text: string): Promise<number[]> {
    return (await this.embedDocuments([text]))[0]!;
  }
}
