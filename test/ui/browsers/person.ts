import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Remote } from './remote.ts';

const WAIT_MS = 90_000;
const POLL_MS = 50;
/** How often an element must be found at the same place before it counts as not moving. */
const STILL_POLLS = 4;
const DRAG_STEPS = 16;
const DRAG_STEP_MS = 50;
const DRAG_RESTS = 6;
const DRAG_REST_MS = 200;
/** Buttons of the mouse, as X counts them. */
const LEFT = 1;
const MIDDLE = 2;
/** The keys that the WebDriver standard gives a code. */
const KEYS = { enter: '\uE007', escape: '\uE00C', tab: '\uE004', down: '\uE015', control: '\uE009' };

/** Describes an element that has all of these properties. */
export interface Sought {
  /** Its accessible name, or a part of it. */
  name?: string;
  /** A selector, within which `name` is looked for. */
  css?: string;
  /** Only within the element of this selector. */
  within?: string;
  /** Only in the row or card with this text. */
  row?: string;
  /** Where to aim: `middle`, or `corner` for the empty space at the start of a cell. */
  aim?: 'middle' | 'corner';
}

interface Found {
  x: number;
  y: number;
  /** The element that covers it; null if a click reaches it. */
  covered: string | null;
}

/** Uses a page of a browser as a person does: by its visible parts, with mouse and keyboard. */
export class Person {
  readonly remote: Remote;
  readonly #url: string;
  readonly #display: string;

  constructor(remote: Remote, url: string, display: string) {
    this.remote = remote;
    this.#url = url;
    this.#display = display;
  }

  /** Opens an address of the UI: `/accounts`. */
  async open(address: string): Promise<void> {
    await this.remote.open(`${this.#url}/ui${address}`);
  }

  /** Calls a function in the page; it sees nothing but its arguments and the page. */
  async call<A extends readonly unknown[], T>(work: (...args: A) => T, ...args: A): Promise<Awaited<T>> {
    return (await this.remote.call(work.toString(), args)) as Awaited<T>;
  }

  /** Waits until a condition holds in the page. */
  async until(condition: () => Promise<boolean>, what: string): Promise<void> {
    const end = performance.now() + WAIT_MS;
    // A page that is being left cannot run functions.
    while (!(await condition().catch(() => false))) {
      if (performance.now() > end) {
        // Not `textContent`: only what is visible counts.
        const seen = await this.call(() => `${location.href}\n${document.body.innerText}`).catch(String);
        assert.fail(`not within ${WAIT_MS} ms: ${what}. The page shows:\n${seen}`);
      }
      await pause(POLL_MS);
    }
  }

  /** Waits until a text is visible. */
  async sees(text: string): Promise<void> {
    await this.until(() => this.#shows(text), `“${text}” is to be seen`);
  }

  /** Waits until a text is no longer visible. */
  async seesNoLonger(text: string): Promise<void> {
    await this.until(async () => !(await this.#shows(text)), `“${text}” is no longer to be seen`);
  }

  /** Waits until the address is this one. */
  async arrives(address: string | RegExp): Promise<void> {
    await this.until(async () => {
      const here = await this.address();
      return typeof address === 'string' ? here === address : address.test(here);
    }, `the address is ${address}`);
  }

  /** The address after the UI's base: `/accounts?search=a`. */
  async address(): Promise<string> {
    return (await this.call(() => `${location.pathname}${location.search}`)).replace(/^\/ui/, '');
  }

  /** Clicks, while a key is held down if one is given. */
  async click(sought: Sought, { key }: { key?: keyof typeof KEYS } = {}): Promise<void> {
    const { x, y } = await this.#onScreen(await this.#find(sought));
    if (key !== undefined) await this.#keys([{ type: 'keyDown', value: KEYS[key] }]);
    this.#press(x, y, LEFT);
    if (key !== undefined) await this.#keys([{ type: 'keyUp', value: KEYS[key] }]);
  }

  async middleClick(sought: Sought): Promise<void> {
    const { x, y } = await this.#onScreen(await this.#find(sought));
    this.#press(x, y, MIDDLE);
  }

  async press(key: keyof typeof KEYS): Promise<void> {
    await this.#keys([
      { type: 'keyDown', value: KEYS[key] },
      { type: 'keyUp', value: KEYS[key] },
    ]);
  }

  /** Types into the focused element. */
  async type(text: string): Promise<void> {
    await this.#keys(
      [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]),
    );
  }

  /** Clicks into a field and types. */
  async fill(name: string, text: string, within = 'body'): Promise<void> {
    await this.click({ css: 'input, textarea', name, within });
    await this.type(text);
  }

  /** Drags one element to another. */
  async drag(from: Sought, to: Sought): Promise<void> {
    const start = await this.#onScreen(await this.#find(from));
    const end = await this.#onScreen(await this.#find(to));
    this.#mouse('mousemove', start.x, start.y);
    this.#mouse('mousedown', LEFT);
    for (let step = 1; step <= DRAG_STEPS; step++) {
      await pause(DRAG_STEP_MS);
      const part = step / DRAG_STEPS;
      this.#mouse('mousemove', start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part);
    }
    // Browsers check only now and then which element is below the mouse. If none has accepted the drag by then, they
    // cancel it.
    for (let rest = 0; rest < DRAG_RESTS; rest++) {
      this.#mouse('mousemove', end.x + (rest % 2), end.y);
      await pause(DRAG_REST_MS);
    }
    this.#mouse('mouseup', LEFT);
  }

  #shows(text: string): Promise<boolean> {
    return this.call((sought) => {
      // Without the marks that keep names of either direction apart.
      // Not `textContent`: only what is visible counts.
      const shown = document.body.innerText.replaceAll(/[\u2066-\u2069]/g, '').replaceAll(/\s+/g, ' ');
      return shown.includes(sought);
    }, text);
  }

  /** No faster than a hand. */
  #press(x: number, y: number, button: number): void {
    this.#mouse('mousemove', x, y, 'sleep', '0.1', 'mousedown', button, 'sleep', '0.1', 'mouseup', button);
  }

  /**
   * Moves and presses the mouse of the X server. The system handles drag and drop and ignores WebDriver's mouse, and
   * WebKit's driver never releases the middle button.
   */
  #mouse(...args: readonly (string | number)[]): void {
    const words = args.map((each) => (typeof each === 'number' ? String(Math.round(each)) : each));
    execFileSync('xdotool', words, { env: { ...process.env, DISPLAY: this.#display } });
  }

  /** A place of the page on the display: below the browser's bars. */
  async #onScreen({ x, y }: Found): Promise<{ x: number; y: number }> {
    const origin = await this.call(() => {
      const { mozInnerScreenX = screenX, mozInnerScreenY = screenY + outerHeight - innerHeight } =
        window as unknown as { mozInnerScreenX?: number; mozInnerScreenY?: number };
      return { x: mozInnerScreenX, y: mozInnerScreenY };
    });
    return { x: origin.x + x, y: origin.y + y };
  }

  async #keys(actions: readonly object[]): Promise<void> {
    await this.remote.perform([{ type: 'key', id: 'keyboard', actions }]);
  }

  /** Waits until the element exists, does not move, and a click would reach it. */
  async #find(sought: Sought): Promise<Found> {
    let found: Found | null = null;
    let before = '';
    let still = 0;
    try {
      await this.until(
        async () => {
          found = await this.call(findInPage, sought);
          still = before === JSON.stringify(found) ? still + 1 : 0;
          before = JSON.stringify(found);
          return found !== null && found.covered === null && still >= STILL_POLLS;
        },
        `${JSON.stringify(sought)} is there`,
      );
    } catch (error) {
      const { covered = null } = (found ?? {}) as Partial<Found>;
      if (covered === null) throw error;
      throw new Error(`${JSON.stringify(sought)} is covered by ${covered}`, { cause: error });
    }
    return found!;
  }
}

/** Runs in the page. */
function findInPage({ name, css, within = 'body', row, aim = 'middle' }: Sought): Found | null {
  const controls =
    'a[href], button, input, select, textarea, [role="option"], [role="menuitem"], [role="treeitem"], [role="tab"]';
  const plain = (text: string) =>
    text
      .replaceAll(/[\u2066-\u2069]/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
  const nameOf = (element: Element): string => {
    const { labels } = element as HTMLInputElement;
    const texts = [
      element.getAttribute('aria-label'),
      ...Array.from(labels ?? [], (label) => label.textContent),
      element.textContent,
      element.getAttribute('title'),
    ];
    return plain(texts.find((text) => text !== null && text.trim() !== '') ?? '');
  };
  const isShown = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && getComputedStyle(element).visibility !== 'hidden';
  };
  const places = Array.from(document.querySelectorAll(within)).flatMap((place) =>
    row === undefined
      ? [place]
      : Array.from(place.querySelectorAll('tr, li')).filter((each) => plain(each.textContent).includes(row)),
  );
  const fits = places
    .flatMap((place) => Array.from(place.querySelectorAll(css ?? controls)))
    .filter((element) => isShown(element) && (name === undefined || nameOf(element).includes(name)));
  const found = fits.find((element) => nameOf(element) === name) ?? fits[0];
  if (found === undefined) return null;
  found.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const { left, top, width, height } = found.getBoundingClientRect();
  const x = Math.round(aim === 'corner' ? left + 3 : left + width / 2);
  const y = Math.round(aim === 'corner' ? top + 3 : top + height / 2);
  const hit = document.elementFromPoint(x, y);
  const labels = Array.from((found as HTMLInputElement).labels ?? []);
  const reaches = found.contains(hit) || labels.some((label) => label.contains(hit));
  return { x, y, covered: reaches ? null : (hit?.outerHTML.slice(0, 200) ?? 'nothing') };
}
