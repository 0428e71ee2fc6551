import type { Frame, Page } from 'playwright-core';

/** The player's texts that mean the end of a visit. */
const ENDED = /You have (?:not )?(?:finished|passed) this course|You have left/;
/** If a page of a course shows nothing new for this time, the robot considers it finished. */
const PATIENCE = 12;
const PAUSE_MS = 400;

/** The controls that continue a course, the best first. */
const WANTED: readonly RegExp[] = [
  /^pass$/i,
  /submit|check answer|see results|score/i,
  /^(?:next|continue|forward|proceed|weiter)\b|^(?:>|→|»|next ?>+)$/i,
  /start|begin|take the quiz|quiz|resume/i,
];

/**
 * Plays the open course as an impatient learner does: answers questions, continues, and exits.
 * @param options.isOver whether there is nothing left to achieve
 * @returns the number of steps
 */
export async function playOn(
  page: Page,
  { steps, isOver }: { steps: number; isOver: () => Promise<boolean> },
): Promise<number> {
  const pages = [page];
  page.context().on('page', (opened) => pages.push(opened));
  for (const each of pages) each.on('dialog', (dialog) => void dialog.accept().catch(() => {}));
  const open = page.getByRole('button', { name: 'Open the course' });
  const course = page.locator('iframe[name=course]');
  await course.or(open).first().waitFor();
  if (await open.isVisible()) await Promise.all([page.context().waitForEvent('page'), open.click()]);
  let taken = 0;
  for (let idle = 0; taken < steps && idle < PATIENCE; ) {
    await page.waitForTimeout(PAUSE_MS);
    if (page.isClosed() || (await hasEnded(page)) || (taken % 5 === 4 && (await isOver()))) break;
    const frames = pages.flatMap((each) => (each.isClosed() ? [] : each.frames()));
    const courseFrames = frames.filter((frame) => frame !== page.mainFrame());
    const clicked = await stepIn(courseFrames);
    if (clicked) taken += 1;
    idle = clicked ? 0 : idle + 1;
  }
  for (const other of pages.slice(1)) if (!other.isClosed()) await other.close({ runBeforeUnload: false });
  await exit(page);
  return taken;
}

async function hasEnded(page: Page): Promise<boolean> {
  const heading = page.locator('main h2').first();
  return (await heading.count()) > 0 && ENDED.test((await heading.textContent()) ?? '');
}

async function exit(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Exit', exact: true });
  if (await button.isVisible()) await button.click();
  await page.getByRole('heading', { name: ENDED }).waitFor();
}

/** Takes one step in the innermost frame that has a suitable control. */
async function stepIn(frames: readonly Frame[]): Promise<boolean> {
  const offers = await Promise.all(
    frames.map(async (frame) => ({ frame, rank: await offerOf(frame).catch(() => null) })),
  );
  const best = offers
    .filter(({ rank }) => rank !== null)
    .toSorted((one, other) => one.rank! - other.rank!)[0];
  if (best === undefined) return false;
  return await best.frame.evaluate(clickMarked).catch(() => true);
}

/**
 * Answers the questions of a frame, marks its best control, and returns the rank of that control; null if there is
 * none.
 */
async function offerOf(frame: Frame): Promise<number | null> {
  return await frame.evaluate(
    (patterns) => {
      type Control = {
        type: string;
        name: string;
        value: string;
        checked: boolean;
        disabled: boolean;
        innerText: string;
        title: string;
        tagName: string;
        options: unknown[];
        selectedIndex: number;
        click(): void;
        getAttribute(name: string): string | null;
        setAttribute(name: string, value: string): void;
        removeAttribute(name: string): void;
        dispatchEvent(event: Event): boolean;
        getClientRects(): { length: number };
      };
      const { document } = globalThis as unknown as {
        document: { querySelectorAll(selector: string): Iterable<Control> };
      };
      const all = (selector: string) =>
        [...document.querySelectorAll(selector)].filter(
          (each) => each.getClientRects().length > 0 && !each.disabled,
        );
      const groups = new Map<string, Control[]>();
      for (const each of all('input[type=radio]'))
        groups.set(each.name, [...(groups.get(each.name) ?? []), each]);
      for (const group of groups.values()) if (!group.some(({ checked }) => checked)) group.at(-1)?.click();
      for (const each of all('input[type=text], input:not([type]), textarea')) {
        if (each.value !== '') continue;
        each.value = '18';
        each.dispatchEvent(new Event('input', { bubbles: true }));
        each.dispatchEvent(new Event('change', { bubbles: true }));
      }
      for (const each of all('[data-robot]')) each.removeAttribute('data-robot');
      const buttons = all('button, a, input[type=button], input[type=submit], [role=button], [onclick]');
      for (const [rank, { source, flags }] of patterns.entries()) {
        const pattern = new RegExp(source, flags);
        const found = buttons.find((each) => {
          const words = [each.innerText, each.value, each.title, each.getAttribute('aria-label')];
          return words.some(
            (text) => typeof text === 'string' && text.length < 40 && pattern.test(text.trim()),
          );
        });
        if (found === undefined) continue;
        found.setAttribute('data-robot', '');
        return rank;
      }
      return null;
    },
    WANTED.map(({ source, flags }) => ({ source, flags })),
  );
}

/** Runs in the frame. */
function clickMarked(): boolean {
  const { document } = globalThis as unknown as {
    document: { querySelector(selector: string): { click(): void } | null };
  };
  const marked = document.querySelector('[data-robot]');
  marked?.click();
  return marked !== null;
}
