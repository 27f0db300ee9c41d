/**
 * A process to be killed: opens a data directory, removes every fifth record, has the index rebuilt with another definition
 * and kept up, and says so once that has begun. Runs the compiled server.
 */
import process from 'node:process';

const [, , dataDir, settings] = process.argv;
const { limits, definition } = JSON.parse(settings);

const compiled = (path) => import(new URL(`../../../../dist/src/pocket-atlas/${path}`, import.meta.url));
const { openEngine } = await compiled('storage/open-engine.js');
const { createSearchManager } = await compiled('search/manager.js');
const { createVectorIndexKind } = await compiled('search/vector/vector-index.js');
const engine = await openEngine({ dataDir });
const kind = createVectorIndexKind({ limits });
const kinds = [
  {
    ...kind,
    async open(options) {
      const instance = await kind.open(options);
      void instance.settle();
      return instance;
    },
  },
];
const manager = await createSearchManager({ engine, kinds, lagMs: 0 });
const ids = (() => {
  const view = engine.view();
  const found = [...view.scan(view.collection('db', 'c'))].map(({ recordId }) => recordId);
  view.release();
  return found.filter((recordId) => recordId % 5 === 0);
})();
await engine.write((txn) => {
  for (const recordId of ids) txn.remove(txn.collection('db', 'c'), recordId);
});
await manager.update({ db: 'db', collection: 'c' }, { name: 'v', definition });
process.send('building');
// Until it is killed.
setInterval(() => {}, 1_000);
