import assert from 'node:assert/strict';
import { MOMENT } from '../support/moment.ts';
import { type Api, CLIENT_EMAIL, type TestService } from '../support/service.ts';
import type { Target } from '../support/target.ts';
import { importCourse } from './packages.ts';

/** The id of the folder that contains all others. */
export const HOME = 1;

/** An asset as requests name it. */
export interface AssetReference {
  type: string;
  id: number;
}

/** An asset as in responses and messages. */
export interface NamedAsset extends AssetReference {
  name: string;
}

/** Makes content for tests, gives it to accounts, and asserts the responses. */
export class ContentMaker {
  readonly #service: TestService;

  constructor(service: TestService) {
    this.#service = service;
  }

  get #api(): Api {
    return this.#service.api;
  }

  async folder(name: string, parentId = 1): Promise<number> {
    return (await this.#api.create('/folders', { name, parent_id: parentId })).id;
  }

  async course(name: string, folderId = 1): Promise<NamedAsset> {
    const { id } = await importCourse(this.#service, { name, folder_id: String(folderId) });
    return { type: 'COURSE', id, name };
  }

  async equivalent(name: string, courses: readonly AssetReference[], folderId = 1): Promise<NamedAsset> {
    const { id } = await this.#api.create('/equivalents', {
      name,
      folder_id: folderId,
      courses: courses.map((course, index) => ({ course_id: course.id, language: `en-${100 + index}` })),
    });
    return { type: 'EQUIVALENT', id, name };
  }

  async bundle(name: string, contents: readonly AssetReference[], folderId = 1): Promise<NamedAsset> {
    const { id } = await this.#api.create('/bundles', {
      name,
      folder_id: folderId,
      contents: contents.map(({ type, id }) => ({ type, id })),
    });
    return { type: 'BUNDLE', id, name };
  }

  async account(name: string): Promise<number> {
    return (await this.#api.create('/accounts', { name })).id;
  }

  async accounts(...names: string[]): Promise<number[]> {
    const ids: number[] = [];
    for (const name of names) ids.push(await this.account(name));
    return ids;
  }

  /** An account as messages describe it. */
  async northwind(): Promise<PublishedChange['account']> {
    return { id: await this.account('Northwind'), name: 'Northwind', enabled: true };
  }

  /** A webhook for all events of accounts’ content. */
  async webhook({ url }: Target): Promise<NamedWebhook> {
    return await this.#api.create('/webhooks', {
      name: 'Content',
      topic: 'ACCOUNT_CONTENT',
      target_url: url,
    });
  }

  /** Adds assets. Returns which of them were added, and which were already there. */
  async add(
    accountId: number,
    ...assets: AssetReference[]
  ): Promise<{ added: NamedAsset[]; unchanged: NamedAsset[] }> {
    const contents = assets.map(({ type, id }) => ({ type, id }));
    const answer = await this.#api.post(`/accounts/${accountId}/content`, { contents });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  }

  async remove(accountId: number, { type, id }: AssetReference): Promise<void> {
    const answer = await this.#api.delete(`/accounts/${accountId}/content/${type}/${id}`);
    assert.equal(answer.status, 204, JSON.stringify(answer.body));
  }
}

/** A webhook, as its messages name it. */
export interface NamedWebhook {
  id: number;
  name: string;
}

/** The content of a message, without its envelope. */
export interface PublishedChange {
  subtopic: 'CONTENT_ADDED_TO_ACCOUNT' | 'CONTENT_REMOVED_FROM_ACCOUNT';
  account: { id: number; name: string; enabled: boolean };
  /** In the order of its members. */
  content: object;
}

/** Asserts that these messages of a webhook arrived, and no others: byte for byte except for their timestamps. */
export function assertMessages(
  target: Target,
  webhook: NamedWebhook,
  expected: readonly PublishedChange[],
): void {
  const texts = target.requests.map(({ text }) => text);
  const whole = expected.map(({ subtopic, account, content }, index) => {
    const { timestamp } = (target.requests[index]?.json ?? {}) as { timestamp?: string };
    assert.match(timestamp ?? '', MOMENT);
    return JSON.stringify({
      subscription_id: webhook.id,
      name: webhook.name,
      topic: 'ACCOUNT_CONTENT',
      subtopic,
      resource: { account, content },
      user: CLIENT_EMAIL,
      timestamp,
      target_url: target.url,
      logging_mode: 'FULL_ON_ERROR',
      max_attempts: 10,
    });
  });
  assert.deepEqual(texts, whole);
}

/** Like {@link assertMessages}, after a final change, whose message is omitted from the expected ones. */
export async function assertPublishedBy(
  make: ContentMaker,
  target: Target,
  webhook: NamedWebhook,
  expected: readonly PublishedChange[],
): Promise<void> {
  const account = await make.northwind();
  const last = await make.course('The last', HOME);
  await make.add(account.id, last);
  await target.waitFor((requests) => requests.some(({ text }) => text.includes('"The last"')));
  assertMessages(target, webhook, [
    ...expected,
    messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, inHome(last)),
  ]);
}

/** A course in messages. @param location the path of its folder */
export const courseResource = ({ id, name }: NamedAsset, location: string, versionId = 0) => ({
  id,
  name,
  version_id: versionId,
  learning_standard: 'SCORM_12',
  location,
});

/** A course in the folder `Home`, as messages describe it. */
export const inHome = (course: NamedAsset) => ({
  course: courseResource(course, 'Home'),
  folder: { id: HOME, name: 'Home', location: '', contents: [course] },
});

export const messageAbout = (
  subtopic: PublishedChange['subtopic'],
  account: PublishedChange['account'],
  content: object,
): PublishedChange => ({ subtopic, account, content });
