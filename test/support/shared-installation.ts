import type { Settings } from '../../src/settings/settings-table.ts';
import { databaseUrlOf, dropDatabaseOf } from './postgres.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The secret of its instances. */
export const SHARED_SECRET = 's'.repeat(64);

/** A database and a content store for several instances, each with a data folder of its own. Only PostgreSQL can be shared. */
export async function openSharedInstallation() {
  await using stack = new AsyncDisposableStack();
  const { path: dataDir } = stack.use(temporaryFolder());
  const { path: content_store } = stack.use(temporaryFolder());
  stack.defer(() => dropDatabaseOf(dataDir));
  const common = {
    database_url: await databaseUrlOf(dataDir),
    content_store,
    webhooks_auth_secret: SHARED_SECRET,
  };
  const opened = stack.move();
  return {
    /** The data folder whose database it is, for helpers that prepare one. */
    dataDir,
    /** The options of one more instance. */
    instance: (settings: Partial<Settings> = {}) => ({
      dataDir: opened.use(temporaryFolder()).path,
      settings: { ...common, ...settings },
    }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
