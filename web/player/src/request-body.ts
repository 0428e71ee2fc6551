import { byteLength } from './server.ts';

/** What a browser adds to each part of a form: a separator and headers. */
const PART_BYTES = 200;
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The body that `fetch` may send for an XMLHttpRequest: that one ignores a body of a read, which `fetch` rejects. */
export function bodyOf(method: string, body: BodyInit | null): BodyInit | null {
  return WITHOUT_BODY.has(method.toUpperCase()) ? null : body;
}

/** The size of a body of a course's request, in bytes; null for one that cannot be sent after its page is gone. */
export function sizeOf(body: unknown): number | null {
  if (body === null || body === undefined) return 0;
  if (typeof body === 'string') return byteLength(body);
  if (isOfType(body, 'URLSearchParams')) return String(body).length;
  const { size, byteLength: length } = body as { size?: unknown; byteLength?: unknown };
  const bytes = size ?? length;
  return typeof bytes === 'number' ? bytes : null;
}

/** How many bytes a body of a course's request takes from the room of its page. */
export function roomTakenBy(body: unknown): number {
  if (!isOfType(body, 'FormData')) return sizeOf(body) ?? 0;
  const parts = [...(body as FormData)].map(
    ([name, value]) =>
      PART_BYTES + byteLength(name) + (typeof value === 'string' ? byteLength(value) : value.size),
  );
  return parts.reduce((sum, bytes) => sum + bytes, 0);
}

/** Whether a value of a course is of a type of the browser. It belongs to the course's window, so `instanceof` does not work. */
export function isOfType(value: unknown, type: string): boolean {
  return Object.prototype.toString.call(value) === `[object ${type}]`;
}
