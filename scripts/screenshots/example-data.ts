import { uploadForm } from '../../test/content/packages.ts';
import { scorm12Package, scorm2004Package } from '../../test/support/course-packages.ts';
import { type Api, until } from '../../test/support/service.ts';
import { startTarget } from '../../test/support/target.ts';
import { answer } from '../../test/support/target-behaviours.ts';

/** The ids of everything that `fillService` created, by name. */
export interface ExampleData {
  accounts: ReadonlyMap<string, number>;
  folders: ReadonlyMap<string, number>;
  courses: ReadonlyMap<string, number>;
  webhooks: ReadonlyMap<string, number>;
  registrations: readonly string[];
}

const ACCOUNTS = [
  'Northwind Logistics',
  'Contoso Healthcare',
  'Fabrikam Energy',
  'Adventure Works',
  'Österreichische Bahnwerke',
  'Tailspin Toys',
];
const FOLDERS = [
  { name: 'Safety', parent: null },
  { name: 'Fire', parent: 'Safety' },
  { name: 'Machines', parent: 'Safety' },
  { name: 'Compliance', parent: null },
  { name: 'Onboarding', parent: null },
];
const COURSES = [
  { name: 'Fire extinguishers', folder: 'Fire' },
  { name: 'Evacuation drills for floor wardens', folder: 'Fire' },
  { name: 'Brandschutz im Betrieb', folder: 'Fire' },
  { name: 'Forklift basics', folder: 'Machines' },
  { name: 'Data protection at work', folder: 'Compliance' },
  { name: 'Anti-bribery', folder: 'Compliance' },
  { name: 'Welcome to the company', folder: 'Onboarding' },
];
const LEARNERS = ['ada.lovelace', 'grace.hopper', 'alan.turing', 'katherine.johnson', 'edsger.dijkstra'];
const STATUSES = [
  { completion: 'Completed', success: 'PASS', score: 92, duration: 1_860 },
  { completion: 'Completed', success: 'FAIL', score: 41, duration: 1_240 },
  { completion: 'Incomplete', success: 'UNKNOWN', score: null, duration: 300 },
];

const DEAD_LETTERS = 4;

/** Fills a service with data like that of months of work. One target responds, and one fails. */
export async function fillService(api: Api, parts: AsyncDisposableStack): Promise<ExampleData> {
  const working = parts.use(await startTarget());
  const broken = parts.use(
    await startTarget({
      respondWith: answer(503, { statusText: 'Service Unavailable', body: 'upstream is down' }),
    }),
  );
  const webhooks = new Map<string, number>();
  const addWebhook = async (name: string, topic: string, url: string, more: object = {}) => {
    const { id } = await api.create('/webhooks', { name, topic, target_url: `${url}/postbacks`, ...more });
    webhooks.set(name, id);
  };
  await addWebhook('HR directory: accounts', 'ACCOUNT', working.url);
  await addWebhook('Learning record store', 'REGISTRATION', broken.url, { max_attempts: 10 });
  await addWebhook('Catalogue search index', 'COURSE', working.url);
  await addWebhook('Old reporting', 'ACCOUNT_CONTENT', working.url, { enabled: false });

  const accounts = new Map<string, number>();
  for (const name of ACCOUNTS) accounts.set(name, (await api.create('/accounts', { name })).id);
  const folders = new Map<string, number>();
  for (const { name, parent } of FOLDERS) {
    const record = await api.create('/folders', {
      name,
      ...(parent === null ? {} : { parent_id: folders.get(parent) }),
    });
    folders.set(name, record.id);
  }
  const courses = new Map<string, number>();
  for (const [index, { name, folder }] of COURSES.entries()) {
    const bytes = await (index % 2 === 0 ? scorm12Package : scorm2004Package)({ title: name });
    const fields = { name, folder_id: String(folders.get(folder)) };
    courses.set(name, (await api.create('/courses', uploadForm(new Uint8Array(bytes), fields))).id);
  }
  await api.create('/equivalents', {
    name: 'Fire safety',
    folder_id: folders.get('Fire'),
    courses: [
      { course_id: courses.get('Fire extinguishers'), language: 'en' },
      { course_id: courses.get('Brandschutz im Betrieb'), language: 'de' },
    ],
  });
  await api.create('/bundles', {
    name: 'First week',
    folder_id: folders.get('Onboarding'),
    contents: [
      { type: 'COURSE', id: courses.get('Welcome to the company') },
      { type: 'COURSE', id: courses.get('Data protection at work') },
    ],
  });

  const registrations: string[] = [];
  for (const account of [...accounts.values()].slice(0, 3)) {
    await api.post(`/accounts/${account}/content`, {
      contents: [...courses.values()].map((id) => ({ type: 'COURSE', id })),
    });
    for (const [index, learner] of LEARNERS.entries()) {
      const course = [...courses.values()][index % courses.size];
      const body = { account_id: account, course_id: course, learner_id: learner };
      const { registration_id: id } = await api.create('/registrations', body);
      registrations.push(id);
      await api.post(`/registrations/${id}/launch`);
      const status = STATUSES[index % STATUSES.length];
      if (index < 4) await api.put(`/registrations/${id}/status`, status);
    }
  }
  await makeDeadLetters(api, webhooks.get('Learning record store')!);
  return { accounts, folders, courses, webhooks, registrations };
}

/** Dead letters, followed by a message that has failed once. */
async function makeDeadLetters(api: Api, webhookId: number): Promise<void> {
  const line = `/webhooks/${webhookId}/line`;
  for (let left = DEAD_LETTERS; ; left--) {
    await until(async () => (await api.get(line)).body.state === 'RETRYING', 'the target has refused');
    if (left === 0) return;
    await api.post(`${line}/skip`);
  }
}
