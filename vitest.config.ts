import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // Vite would take graphql's ES build for our files while Node gives libraries the CommonJS one, and graphql refuses
    // to work with two copies of itself.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // Child processes and workers run compiled files: they are built once before the first test.
    globalSetup: ['test/support/build.ts'],
    pool: 'forks',
    // Many tests wait (for a heartbeat, a lease, a process): two at a time use even a small machine better.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
