import { SeededRandom } from '../reliability/seeded-random.ts';

/** Random choices of a run, which are repeated with the same seed. */
export class Choices extends SeededRandom {
  #names = 0;

  one<T>(from: Iterable<T>): T | undefined {
    const all = [...from];
    return all.length === 0 ? undefined : all[this.between(0, all.length - 1)];
  }

  /** Some of the items in random order, without repetition. */
  some<T>(from: Iterable<T>, most: number): T[] {
    const left = [...from];
    const count = Math.min(left.length, this.between(1, most));
    return Array.from({ length: count }, () => left.splice(this.between(0, left.length - 1), 1)[0]!);
  }

  /** A unique name, with characters that careless programs break. */
  name(what: string): string {
    this.#names += 1;
    const odd = [
      '',
      '',
      ' "quoted"',
      ' \\back/',
      ' </script>',
      ' Zoë 日本語',
      ' 🚒',
      ' \u2028',
      ' 100 %00',
      ' > x',
    ];
    return `${what} ${this.#names}${this.pick(odd as [string, ...string[]])}`;
  }
}
