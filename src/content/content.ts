import type { FastifyInstance } from 'fastify';
import { ManifestReader } from '../course-packages/thread/manifest-reader.ts';
import type { Transaction } from '../database/database.ts';
import type { EventPublisher } from '../events/event.ts';
import type { Routes } from '../http/routes.ts';
import type { ReadinessCheck } from '../observability/readiness.ts';
import type { ServiceContext } from '../service-context.ts';
import { contentPlaceOf } from '../settings/content-place.ts';
import { isLoopbackHost } from '../settings/networks.ts';
import { untilAborted } from '../time/until-aborted.ts';
import { accountContentRoutes } from './account-content/account-content-routes.ts';
import { AccountContentService, accountsHolding } from './account-content/account-content-service.ts';
import { deleteAccountContents } from './account-content/account-content-store.ts';
import { manyAccountsRoutes } from './account-content/many-accounts-routes.ts';
import { ManyAccountsService } from './account-content/many-accounts-service.ts';
import { accountRoutes } from './accounts/account-routes.ts';
import { AccountService } from './accounts/account-service.ts';
import type { OnDeleted } from './assets/deletion.ts';
import { bundleRoutes } from './bundles/bundle-routes.ts';
import { BundleService, bundlesHolding } from './bundles/bundle-service.ts';
import { courseRoutes } from './courses/course-routes.ts';
import { CourseService } from './courses/course-service.ts';
import { courseUploadRoutes } from './courses/course-upload-routes.ts';
import { FileRemoval } from './courses/file-removal.ts';
import { orphanCleaner } from './courses/orphan-cleaner.ts';
import { PackageIntake } from './courses/package-intake.ts';
import { StructureReader } from './courses/structure-reader.ts';
import { UploadFolders } from './courses/upload-folders.ts';
import { equivalentRoutes } from './equivalents/equivalent-routes.ts';
import { EquivalentService, equivalentsHoldingCourse } from './equivalents/equivalent-service.ts';
import { assertOwnContentStore, claimContentStore } from './files/claim-content-store.ts';
import type { ContentStore } from './files/content-store.ts';
import { openContentStore } from './files/open-content-store.ts';
import { storeFailureReason } from './files/store-failure.ts';
import { folderRoutes } from './folders/folder-routes.ts';
import { FolderService } from './folders/folder-service.ts';
import type { OpenLaunch, StartedLaunch } from './registrations/launch.ts';
import { launchRoutes, launchUrlOf } from './registrations/launch-routes.ts';
import { LaunchTokens } from './registrations/launch-tokens.ts';
import { type Learning, registrationRoutes } from './registrations/registration-routes.ts';
import { RegistrationService } from './registrations/registration-service.ts';
import { deleteRegistrationsByAccount } from './registrations/registration-store.ts';
import {
  deletePartOfRegistrations,
  type PartOfRecords,
  registrationsOfCourse,
  registrationsOfEquivalent,
} from './registrations/registrations-of.ts';

/** Accounts, their content, and learners' registrations to it. */
export interface Content extends AsyncDisposable {
  courses: CourseService;
  registrations: RegistrationService;
  /** The files of courses. */
  store: ContentStore;
  /** For readiness: whether the files can be reached. The error says why not. */
  check: ReadinessCheck;
  /**
   * Adds the routes that require no sign-in.
   * @param play starts a launch
   */
  addOpenRoutes(server: FastifyInstance, play: (launch: OpenLaunch) => Promise<StartedLaunch>): void;
  /** Adds the routes under the hook of `requireScopes`. `learning` knows what learners did. */
  addRoutes(routes: Routes, learning: Learning): Promise<void>;
}

/** Dependencies of the content part. */
export interface ContentOptions {
  events: EventPublisher<Transaction>;
  onDeleted: OnDeleted;
  partOfRecords: PartOfRecords;
  /** Ends the wait for a content store that does not respond. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens the content store, assembles the content part, and starts its background tasks.
 * @throws what `openContentStore`, `claimContentStore` and `assertOwnContentStore` throw, and the reason of `signal`
 */
export async function openContent(context: ServiceContext, options: ContentOptions): Promise<Content> {
  const { settings, idempotency, baseUrl } = context;
  await using stack = new AsyncDisposableStack();
  const { store, uploads, intake, removal } = await openCourseFiles(context, stack, options.signal);
  const { folders, courses, equivalents, bundles } = createFolderServices(context, options, {
    intake,
    removal,
  });
  const { accounts, accountContents, manyAccounts, registrations } = createAccountServices(context, options);
  await folders.ensureRoot();

  const opened = stack.move();
  return {
    courses,
    registrations,
    store,
    async check() {
      try {
        await store.ping();
      } catch (error) {
        throw new Error(storeFailureReason(error), { cause: error });
      }
    },
    addOpenRoutes: (server, play) => launchRoutes(server, registrations, play),
    async addRoutes(routes, learning) {
      accountRoutes(routes, accounts, idempotency);
      accountContentRoutes(routes, accountContents, idempotency);
      manyAccountsRoutes(routes, manyAccounts, idempotency);
      folderRoutes(routes, folders, idempotency);
      courseRoutes(routes, courses, idempotency);
      const maxPackageBytes = settings.max_package_size;
      await (routes as unknown as FastifyInstance).register(courseUploadRoutes, {
        courses,
        uploads,
        idempotency,
        maxPackageBytes,
      });
      equivalentRoutes(routes, equivalents, idempotency);
      bundleRoutes(routes, bundles, idempotency);
      registrationRoutes(routes, {
        registrations,
        idempotency,
        launchUrl: (token) => launchUrlOf(baseUrl(), token),
        learning,
        takesLoopback: isLoopbackHost(settings.host),
      });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Accounts, their content, and registrations to it. */
function createAccountServices(
  { settings, storage: { database, authSecrets }, now }: ServiceContext,
  { events, onDeleted, partOfRecords }: ContentOptions,
) {
  const accounts = new AccountService({
    database,
    events,
    belongings: [deleteAccountContents, deleteRegistrationsByAccount],
    partOfBelongings: (...part) => deletePartOfRegistrations(partOfRecords, ...part),
    onDeleted,
    now,
  });
  const maxAssetsAdded = settings.max_assets_per_call;
  const accountContents = new AccountContentService({ database, accounts, events, maxAssetsAdded, now });
  const manyAccounts = new ManyAccountsService({ database, events, maxAssetsAdded, now });
  const launchTokens = new LaunchTokens({ authSecrets, now });
  const registrations = new RegistrationService({ database, events, launchTokens, partOfRecords, now });
  return { accounts, accountContents, manyAccounts, registrations };
}

/** Folders, and the content in them. */
function createFolderServices(
  { storage: { database }, now }: ServiceContext,
  { events, onDeleted }: ContentOptions,
  { intake, removal }: Pick<CourseFiles, 'intake' | 'removal'>,
) {
  const folders = new FolderService({
    database,
    holders: [accountsHolding('FOLDER')],
    onDeleted,
    now,
  });
  const courses = new CourseService({
    database,
    events,
    intake,
    files: removal,
    holders: [
      accountsHolding('COURSE'),
      equivalentsHoldingCourse,
      bundlesHolding('COURSE'),
      registrationsOfCourse,
    ],
    onDeleted,
    now,
  });
  const equivalents = new EquivalentService({
    database,
    holders: [accountsHolding('EQUIVALENT'), bundlesHolding('EQUIVALENT'), registrationsOfEquivalent],
    onDeleted,
    now,
  });
  const bundles = new BundleService({ database, holders: [accountsHolding('BUNDLE')], onDeleted, now });
  return { folders, courses, equivalents, bundles };
}

/** The files of courses, and what works on them. */
interface CourseFiles {
  store: ContentStore;
  uploads: UploadFolders;
  intake: PackageIntake;
  removal: FileRemoval;
}

/** Opens the content store, and removes leftovers of uploads now and in the background. */
async function openCourseFiles(
  { settings, logs, storage, now, random }: ServiceContext,
  stack: AsyncDisposableStack,
  signal: AbortSignal | undefined,
): Promise<CourseFiles> {
  const { database, folder, leases } = storage;
  const log = logs.for('CourseService');
  const place = contentPlaceOf(settings);
  const store = stack.use(await openContentStore(place, folder.contentFolder));
  const manifests = stack.use(new ManifestReader());
  const uploads = stack.use(new UploadFolders({ folder: folder.temporaryFolder, log }));
  const intake = new PackageIntake({
    reader: database.reader,
    store,
    manifests,
    maxPackageBytes: settings.max_package_size,
    log,
    now,
  });
  // Only one instance uses the embedded database and its folder.
  const isAlone = database.dialect === 'sqlite';
  const isOwn = isAlone && place === null;
  // First, so that nothing is removed from a folder that others use.
  if (isOwn) await assertOwnContentStore(database, store, log);
  else await untilAborted(claimContentStore(database, store, log), signal);
  // On PostgreSQL, the cleaner removes leftovers.
  if (isAlone) await uploads.empty();
  if (isOwn) await intake.removeOrphans();
  const cleaner = stack.use(orphanCleaner({ intake, uploads, leases, log, random }));
  cleaner.start();
  const structures = stack.use(new StructureReader({ database, store, leases, manifests, log }));
  structures.start();
  const removal = new FileRemoval({ store, log });
  // Before tasks and uploads are waited for: a store that does not respond must not delay a stop.
  stack.defer(async () => {
    cleaner.end();
    structures.end();
    removal.end();
    await store[Symbol.asyncDispose]();
  });
  return { store, uploads, intake, removal };
}
