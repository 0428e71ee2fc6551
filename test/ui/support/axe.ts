import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

/** A colour scheme, as a setting of the system. */
export type Scheme = 'light' | 'dark';

const IMPACTS_THAT_FAIL = new Set(['serious', 'critical']);
/** The minified build, since each page that is checked has to receive and parse it. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
const OPTIONS: axe.RunOptions = {
  resultTypes: ['violations'],
  // The content of a course's frame is its author's.
  iframes: false,
  // The report shows the markup of faulty elements. A selector for each would take long to compute.
  selectors: false,
};
/**
 * All rules except those about colours, and except those that cannot fail here, because a finding has the impact of its
 * rule.
 */
const OTHER_RULES = `{
  ...${JSON.stringify(OPTIONS)},
  rules: Object.fromEntries(
    axe._audit.rules
      .filter(({ id, impact }) =>
        ${JSON.stringify(COLOUR_RULES)}.includes(id) ||
        (impact && !${JSON.stringify([...IMPACTS_THAT_FAIL])}.includes(impact)))
      .map(({ id }) => [id, { enabled: false }]),
  ),
}`;
const ONLY_COLOUR_RULES = JSON.stringify({ ...OPTIONS, runOnly: COLOUR_RULES });
/** The topmost dialog, or else the page. The page behind a dialog cannot be reached, and was checked before. */
const PART = `([...document.querySelectorAll('[role=dialog][aria-modal=true]')].at(-1) ?? document)`;

/**
 * Finds the elements with text, and describes everything that affects their colours: the looks of each element and of
 * its ancestors. Values of these attributes do not affect colours.
 */
const FIND_LOOKS = `(() => {
  const other = /^(?:id|href|src|value|for|name|title|alt|aria-(?:label|labelledby|describedby|controls|owns|activedescendant))$/;
  // The attributes of the root name the scheme.
  const looks = new Map([[document.documentElement, String(innerWidth)]]);
  const looksOf = (element) => {
    let known = looks.get(element);
    if (known === undefined) {
      const own = [...element.attributes].filter(({ name }) => !other.test(name));
      // Rows may be striped.
      const place = element.tagName === 'TR' ? element.rowIndex % 2 : '';
      const values = own.map(({ name, value }) => name + '=' + value);
      known = hash([looksOf(element.parentElement), element.tagName, place, ...values].join());
      looks.set(element, known);
    }
    return known;
  };
  const hash = (text) => {
    let [one, other] = [0xdeadbeef, 0x41c6ce57];
    for (let at = 0; at < text.length; at++) {
      one = Math.imul(one ^ text.charCodeAt(at), 2654435761);
      other = Math.imul(other ^ text.charCodeAt(at), 1597334677);
    }
    return (one >>> 0).toString(36) + (other >>> 0).toString(36);
  };
  const hasText = (element) =>
    'placeholder' in element || [...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '');
  globalThis.elementsWithText = [...${PART}.querySelectorAll('*')].filter(hasText);
  return globalThis.elementsWithText.map(looksOf);
})()`;

/** The looks whose colours are right in a scheme, in any test of this process. */
const rightLooks: Readonly<Record<Scheme, Set<string>>> = { light: new Set(), dark: new Set() };

/** Fails when axe finds anything serious or critical, besides colours, in the topmost dialog of a page or all of it. */
export async function assertNoAxeFaults(page: Page): Promise<void> {
  await assertNoViolations(page, `axe.run(${PART}, ${OTHER_RULES})`, 'axe');
}

/** Fails when axe finds colours that are hard to read, on a page that is shown in this scheme. */
export async function assertNoColourFaults(page: Page, scheme: Scheme): Promise<void> {
  for (;;) {
    const unknown = unknownOf(await page.evaluate<string[]>(FIND_LOOKS), scheme);
    if (unknown.size === 0) return;
    await assertNoViolations(page, checkOfColours([...unknown.values()]), `axe, ${scheme}`);
    const checked = new Set(await page.evaluate<number[]>('checkedPlaces'));
    for (const [look, place] of unknown) if (checked.has(place)) rightLooks[scheme].add(look);
  }
}

/** Checks the elements at these places that are still in the page: it may have replaced some since they were found. */
function checkOfColours(places: readonly number[]): string {
  return `(() => {
    globalThis.checkedPlaces = ${JSON.stringify(places)}.filter((at) => elementsWithText[at].isConnected);
    if (checkedPlaces.length === 0) return Promise.resolve({ violations: [] });
    return axe.run({ include: checkedPlaces.map((at) => elementsWithText[at]) }, ${ONLY_COLOUR_RULES});
  })()`;
}

/** Whether the page has looks that were not checked in this scheme before. Showing a scheme redraws the whole page. */
export async function hasUnknownColours(page: Page, scheme: Scheme): Promise<boolean> {
  return unknownOf(await page.evaluate<string[]>(FIND_LOOKS), scheme).size > 0;
}

/** The place of an element of each look that was not checked before. */
function unknownOf(looks: readonly string[], scheme: Scheme): Map<string, number> {
  return new Map(
    looks.map((each, at) => [each, at] as const).filter(([each]) => !rightLooks[scheme].has(each)),
  );
}

async function assertNoViolations(page: Page, run: string, what: string): Promise<void> {
  const found = `${run}.then(({ violations }) => violations)`;
  const violations =
    (await page.evaluate<axe.Result[] | null>(`'axe' in globalThis ? ${found} : null`)) ??
    (await page.evaluate<axe.Result[]>(`${AXE}\n;${found}`));
  const faults = violations
    .filter(({ impact }) => impact != null && IMPACTS_THAT_FAIL.has(impact))
    .map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    }));
  assert.deepEqual(faults, [], `${what}: ${JSON.stringify(faults, null, 2)}`);
}
