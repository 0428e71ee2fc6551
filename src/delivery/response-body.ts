const INITIAL_CAPACITY = 4_096;
const UTF_8 = 'utf-8';
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i;

/**
 * The beginning of the body of a response. Only the bytes that are kept take memory, even if the body arrives byte by
 * byte.
 */
export class ResponseBody {
  readonly #limit: number;
  #bytes: Buffer | null = null;
  #length = 0;
  #truncated = false;

  /** @param limit the number of bytes that are kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether the body was longer than the limit. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** Appends bytes up to the limit. The chunk must not change afterwards. */
  append(chunk: Buffer): void {
    let added = chunk;
    if (this.#length + chunk.length > this.#limit) {
      this.#truncated = true;
      added = chunk.subarray(0, this.#limit - this.#length);
    }
    if (added.length === 0) return;
    if (this.#bytes === null) {
      this.#bytes = added;
      this.#length = added.length;
      return;
    }
    const needed = this.#length + added.length;
    const bytes = needed > this.#bytes.length ? this.#grown(needed) : this.#bytes;
    bytes.set(added, this.#length);
    this.#length = needed;
  }

  /**
   * The bytes as text, in the encoding that the type names: UTF-8 if it names none. Invalid bytes become U+FFFD, and so
   * does NUL, which some databases do not accept in text. A character that the limit cut in two is omitted.
   * @param contentType the `Content-Type` of the response
   */
  text(contentType = ''): string {
    if (this.#bytes === null) return '';
    const bytes = this.#bytes.subarray(0, this.#length);
    const encoding = encodingOf(contentType);
    const text =
      encoding === UTF_8 && !this.#truncated
        ? bytes.toString('utf8')
        : new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes, { stream: this.#truncated });
    return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
  }

  #grown(needed: number): Buffer {
    const capacity = Math.min(this.#limit, Math.max(needed * 2, INITIAL_CAPACITY));
    const grown = Buffer.allocUnsafe(capacity);
    if (this.#bytes !== null) grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    return grown;
  }
}

/** The encoding that a type names; UTF-8 if it names none, or an unknown one. */
function encodingOf(contentType: string): string {
  const [, name = UTF_8] = CHARSET.exec(contentType) ?? [];
  // The usual case, in which no decoder is needed.
  if (name.toLowerCase() === UTF_8) return UTF_8;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return UTF_8;
  }
}
