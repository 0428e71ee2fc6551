const INITIAL_CAPACITY = 4_096;

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
   * The bytes as UTF-8 text. Invalid bytes become U+FFFD, and so does NUL, which some databases do not accept in text. A
   * character that the limit cut in two is omitted.
   */
  text(): string {
    if (this.#bytes === null) return '';
    const bytes = this.#bytes.subarray(0, this.#length);
    const text = this.#truncated
      ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
      : bytes.toString('utf8');
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
