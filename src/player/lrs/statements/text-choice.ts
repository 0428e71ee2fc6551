import type { JsonObject } from '../xapi-types.ts';

const KINDS_OF_MATCH = 3;

/**
 * Chooses a text by its language. The first wanted language with a match decides. A match is the same language,
 * otherwise a variant of it (`de-CH` for `de`), otherwise a more general one (`de` for `de-AT`). Each text is searched
 * once for all languages together.
 */
export class TextChoice {
  /** The rank of a wanted language. Lower is better. */
  readonly #wanted = new Map<string, number>();
  /** The rank of a tag that is a wanted language or more general. */
  readonly #ranks = new Map<string, number>();
  readonly #lengths: readonly number[];

  /** @param languages in lower case, the preferred one first */
  constructor(languages: readonly string[]) {
    for (const [place, language] of languages.entries()) {
      const rank = place * KINDS_OF_MATCH;
      setFirst(this.#wanted, language, rank);
      lower(this.#ranks, language, rank);
      for (let at = language.lastIndexOf('-'); at > 0; at = language.lastIndexOf('-', at - 1)) {
        lower(this.#ranks, language.slice(0, at), rank + 2);
      }
    }
    this.#lengths = [...new Set([...this.#wanted.keys()].map(({ length }) => length))];
  }

  /** The chosen text with its language; the first one if no language fits. */
  among(texts: JsonObject): JsonObject {
    let chosen: string | null = null;
    let best = Number.POSITIVE_INFINITY;
    for (const tag of Object.keys(texts)) {
      const rank = this.#rankOf(tag.toLowerCase());
      if (chosen !== null && rank >= best) continue;
      chosen = tag;
      best = rank;
    }
    return chosen === null ? {} : { [chosen]: texts[chosen] };
  }

  #rankOf(tag: string): number {
    let rank = this.#ranks.get(tag) ?? Number.POSITIVE_INFINITY;
    for (const length of this.#lengths) {
      if (tag[length] !== '-') continue;
      rank = Math.min(rank, (this.#wanted.get(tag.slice(0, length)) ?? Number.POSITIVE_INFINITY) + 1);
    }
    return rank;
  }
}

function setFirst(map: Map<string, number>, key: string, value: number): void {
  if (!map.has(key)) map.set(key, value);
}

function lower(map: Map<string, number>, key: string, value: number): void {
  map.set(key, Math.min(value, map.get(key) ?? value));
}
