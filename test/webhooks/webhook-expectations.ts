import assert from 'node:assert/strict';
import type { Answer, Api } from '../support/service.ts';

/** The least that a webhook needs; `overrides` win. Nothing listens at its target. */
export function webhookInput(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: 'Accounts', topic: 'ACCOUNT', target_url: 'http://127.0.0.1:9/postbacks', ...overrides };
}

/** Fails unless an answer is a problem (RFC 9457) of this kind that names exactly these members, in any order. */
export function assertProblem(
  answer: Answer,
  status: number,
  code: string,
  pointers: readonly string[] | null = null,
  what = '',
): void {
  const { body, headers } = answer;
  const context = `${what} ${answer.status} ${JSON.stringify(body)}`;
  assert.equal(answer.status, status, context);
  assert.equal(headers.get('content-type'), 'application/problem+json', context);
  assert.equal(body.type, `urn:coursewire:problem:${code}`, context);
  assert.equal(body.status, status, context);
  assert.ok(body.title.length > 0 && body.detail.length > 0, context);
  const members = Object.keys(body).filter((member) => member !== 'errors');
  assert.deepEqual(members, ['type', 'title', 'status', 'detail'], context);
  if (body.errors !== undefined) {
    for (const error of body.errors) assert.deepEqual(Object.keys(error), ['pointer', 'detail'], context);
  }
  if (pointers !== null) {
    const named = new Set<string>((body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer));
    assert.deepEqual([...named].sort(), [...pointers].sort(), context);
  }
}

/** The same for invalid input. */
export function assertInvalid(answer: Answer, pointers: readonly string[], what = ''): void {
  assertProblem(answer, 400, 'invalid-request', pointers, what);
}

/** Fails unless a webhook with these members cannot be created, and the answer names exactly the `pointers`. */
export async function assertCannotCreate(
  api: Api,
  overrides: Record<string, unknown>,
  ...pointers: string[]
): Promise<void> {
  const answer = await api.post('/webhooks', webhookInput(overrides));
  assertInvalid(answer, pointers, JSON.stringify(overrides));
}
