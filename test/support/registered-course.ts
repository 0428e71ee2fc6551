import { uploadForm } from '../content/packages.ts';
import { give, register } from '../content/registration-helpers.ts';
import { type PackageFiles, zipOf } from './course-packages.ts';
import type { RunningService } from './service.ts';

/** Imports a course, adds it to an account and registers a learner. */
export async function registerTo(
  service: RunningService,
  files: PackageFiles,
  learner = 'ann@example.com',
): Promise<{ registrationId: string; accountId: number; courseId: number }> {
  const { id: accountId } = await service.api.create('/accounts', { name: 'Northwind' });
  const { id: courseId } = await service.api.create(
    '/courses',
    uploadForm(new Uint8Array(await zipOf(files))),
  );
  await give(service, accountId, 'COURSE', courseId);
  const { registration_id: registrationId } = await register(
    service,
    { account_id: accountId, course_id: courseId },
    learner,
  );
  return { registrationId, accountId, courseId };
}
