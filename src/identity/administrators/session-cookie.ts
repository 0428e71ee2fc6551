import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceOrigin } from '../../http/origin.ts';

/** Requests whose Cookie field is longer are read as if they had none. */
const MAX_COOKIE_FIELD = 16_384;
const VALUE = /^[\w.-]{1,256}$/;

/**
 * A cookie for requests of the service's own pages. No script can read it. Requests from other sites do not carry it, but
 * those from other origins of the same site do (`assertNotFromOtherOrigin`). Links from other sites still work, because a
 * page is the same for everyone and requests its data itself. Over https, it is `Secure` and named `__Host-…`, so that no
 * other host of the domain can set it.
 * @see draft-ietf-httpbis-rfc6265bis sections 4.1.2 and 4.1.3
 */
export class ServiceCookie {
  readonly #name: string;
  readonly #maxAgeSeconds: number;
  readonly #origin: ServiceOrigin;

  constructor(options: { name: string; maxAgeMs: number; origin: ServiceOrigin }) {
    this.#name = options.name;
    this.#maxAgeSeconds = Math.floor(options.maxAgeMs / 1_000);
    this.#origin = options.origin;
  }

  /** The value of the cookie, or null if there is none or it is malformed. */
  read(request: FastifyRequest): string | null {
    const field = request.headers.cookie;
    if (field === undefined || field.length > MAX_COOKIE_FIELD) return null;
    const prefix = `${this.#nameFor(request)}=`;
    const pairs = field.split(';').map((pair) => pair.trim());
    const value = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length);
    return value !== undefined && VALUE.test(value) ? value : null;
  }

  /** Sets the cookie. */
  write(request: FastifyRequest, reply: FastifyReply, value: string): void {
    this.#set(request, reply, value, this.#maxAgeSeconds);
  }

  /** Removes the cookie. */
  clear(request: FastifyRequest, reply: FastifyReply): void {
    this.#set(request, reply, '', 0);
  }

  #set(request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number): void {
    const secure = this.#isSecure(request) ? '; Secure' : '';
    reply.header(
      'Set-Cookie',
      `${this.#nameFor(request)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`,
    );
  }

  #nameFor(request: FastifyRequest): string {
    return this.#isSecure(request) ? `__Host-${this.#name}` : this.#name;
  }

  #isSecure(request: FastifyRequest): boolean {
    return this.#origin(request).startsWith('https:');
  }
}
