import { roomTakenBy } from './request-body.ts';
import type { WatchedPage } from './watched-page.ts';

/** The sizes of the bodies of requests, in bytes. A `Request` shows its body only as a stream. */
const sizes = new WeakMap<object, number>();

/** Notes the sizes of the bodies in the `Request` objects that a page of a course makes. */
export function watchRequests({ course }: WatchedPage): void {
  const { Request: Original } = course;
  // A page whose scripts ran before it was watched may have something else by this name.
  if (typeof Original !== 'function' || typeof Original.prototype?.clone !== 'function') return;
  const watched = new Proxy(Original, {
    construct(target, given: ConstructorParameters<typeof Request>, newTarget) {
      const request = Reflect.construct(target, given, newTarget) as Request;
      const [input, init] = given;
      const body = init?.body ?? null;
      sizes.set(request, body === null ? bodySizeOf(input) : roomTakenBy(body));
      return request;
    },
  });
  Reflect.set(course, 'Request', watched);
  const { prototype } = Original;
  const { clone } = prototype;
  // Unlike an assignment, it does not throw if the page has frozen the prototype.
  Reflect.set(prototype, 'clone', function (this: Request) {
    const copy = clone.call(this);
    sizes.set(copy, bodySizeOf(this));
    return copy;
  });
}

/** The size of the body in a `Request`; 0 if nobody knows it. */
export function bodySizeOf(request: RequestInfo | URL | null): number {
  return sizes.get(Object(request)) ?? 0;
}
