import { element } from './elements.ts';
import { titleOf, unitWords } from './record.ts';
import type { ContentsEntry, Sequencer } from './sequencer.ts';
import type { Unit } from './server.ts';
import { TEXTS } from './texts.ts';

/** The data of the table of contents, and the action when the learner chooses. */
export interface Contents {
  units: readonly Unit[];
  /** The language of their titles; null if it is not known. */
  language: string | null;
  /** The open unit; null for none. */
  current: string | null;
  /** Provides the entries of a course with sequencing; null for a plain list of the units. */
  sequencer: Sequencer | null;
  /** @param id a unit or, with sequencing, a block */
  choose(id: string): void;
}

/** The elements of the table of contents, for the navigation of the page. */
export function contentsOf(contents: Contents): Node[] {
  const { units, language, sequencer } = contents;
  const list =
    sequencer === null
      ? element(
          'ol',
          {},
          ...listed(units).map((unit) => item(contents, unit.id, unit.isOpen, unitWords(unit, language))),
        )
      : listOf(contents, sequencer.contents());
  return [element('h2', {}, TEXTS.contents), list];
}

/**
 * The units in a plain table of contents: those that the manifest does not hide. Once the learner has completed all of
 * them that are open, it includes hidden units that are not completed: the course may have no other way to them, and
 * is not completed without them.
 */
function listed(units: readonly Unit[]): readonly Unit[] {
  const visible = units.filter(({ isVisible }) => isVisible);
  if (visible.length === 0) return units;
  if (visible.some(({ isOpen, completion }) => isOpen && completion !== 'Completed')) return visible;
  return units.filter(({ isVisible, completion }) => isVisible || completion !== 'Completed');
}

function listOf(contents: Contents, entries: readonly ContentsEntry[]): HTMLElement {
  const { language } = contents;
  return element(
    'ol',
    {},
    ...entries.map(({ id, title, canChoose, children }) => {
      const unit = contents.units.find((each) => each.id === id);
      const below = children.length > 0 ? listOf(contents, children) : null;
      const words = unit === undefined ? [titleOf(title, language)] : unitWords(unit, language);
      return item(contents, id, canChoose, words, below);
    }),
  );
}

function item(
  { current, choose }: Contents,
  id: string,
  isOpen: boolean,
  words: Node[],
  below: HTMLElement | null = null,
): HTMLElement {
  const attributes = {
    'aria-current': current === id ? 'true' : null,
    disabled: !isOpen,
    'data-entry': id,
    onclick: () => choose(id),
  };
  return element('li', {}, element('button', attributes, ...words), below);
}
