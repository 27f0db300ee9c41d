import { loadConfig } from '../../src/config.js';
import { spawnPocketAtlas } from '../../src/pocket-atlas/spawn.js';
import { connect } from '../../src/store/database.js';
import { operator } from '../../src/store/scope.js';
import { saveWeights } from '../../src/store/search/save-weights.js';

/**
 * Keeps weights in the configured database, for its active space if that is of the provider that was measured. The
 * embedded server must not be running: its data directory has one user at a time.
 */
export async function saveCalibration(provider: string, weights: { vector: number; text: number }): Promise<string> {
  const { database: settings } = loadConfig();
  const pocketAtlas = settings.uri === null ? await spawnPocketAtlas({ dataDir: settings.dataDir }) : null;
  const database = connect(settings.uri ?? pocketAtlas!.uri, settings.name);
  try {
    const active = await database.spaces.findOne({ state: 'ACTIVE' });
    if (active === null) throw new Error('The configured database has no active embedding space yet');
    if (active.provider !== provider)
      throw new Error(`Measured with ${provider}, but the active space ${active._id} is of ${active.provider}`);
    await saveWeights(database, operator, active._id, weights);
    return active._id;
  } finally {
    await database.close();
    await pocketAtlas?.stop();
  }
}
