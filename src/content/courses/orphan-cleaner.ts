import type { TaskLeases } from '../../housekeeping/task-leases.ts';
import type { Logger } from '../../observability/log.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { HOUR_MS } from '../../time/units.ts';
import type { PackageIntake } from './package-intake.ts';
import type { UploadFolders } from './upload-folders.ts';

/** Time between rounds. Each round lists all keys: on S3, one request per thousand courses. */
const ROUND_PAUSE_MS = 6 * HOUR_MS;
/** Prevents instances that start together from asking at the same time. */
const ROUND_JITTER_MS = HOUR_MS;
const TASK = 'remove-orphans';

/** Dependencies of the cleaner. */
export interface OrphanCleanerDependencies {
  intake: Pick<PackageIntake, 'removeOldOrphans'>;
  uploads: Pick<UploadFolders, 'removeLeftovers'>;
  leases: Pick<TaskLeases, 'run'>;
  log: Logger;
  random: () => number;
}

/**
 * Removes files that belong to no course, every few hours, on one of several instances. Each instance also removes
 * leftovers of uploads, because it may be the only one with its temporary folder.
 */
export function orphanCleaner({
  intake,
  uploads,
  leases,
  log,
  random,
}: OrphanCleanerDependencies): BackgroundTask {
  return new BackgroundTask({
    round: async (signal) => {
      await removeLeftovers(uploads, log);
      await leases.run(TASK, { restMs: ROUND_PAUSE_MS, signal }, async (held) => {
        await intake.removeOldOrphans(held);
      });
    },
    pauseMs: () => ROUND_PAUSE_MS + random() * ROUND_JITTER_MS,
    onError: (error) => log.warn('the search for files without a course failed; retrying later', { error }),
  });
}

/** A temporary folder that cannot be read must not prevent the rest of the round. */
async function removeLeftovers(
  uploads: OrphanCleanerDependencies['uploads'],
  log: OrphanCleanerDependencies['log'],
): Promise<void> {
  try {
    await uploads.removeLeftovers();
  } catch (error) {
    log.warn('leftovers of uploads could not be removed; retrying later', { error });
  }
}
