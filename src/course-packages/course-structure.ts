import type { Sequencing } from './scorm-sequencing.ts';

/**
 * The format that this release writes. A version stored with a lower one is read again in the background, so increase
 * it whenever the readers extract more.
 */
export const STRUCTURE_FORMAT = 1;

/**
 * Maximum length of the prerequisites of a course together. Those of the items after that are ignored, because all of
 * them are evaluated each time that a page shows the units.
 */
export const MAX_PREREQUISITES_LENGTH = 250_000;

/** The tree of a course and all data of its manifest that playing needs. Plain JSON values only. */
export interface CourseStructure {
  /** The publisher's identifier of the course: of the manifest (SCORM), the course (AICC, cmi5) or the activity (xAPI). */
  readonly identifier: string | null;
  /** In the manifest's order. At least one of the items or their descendants is a unit. */
  readonly items: readonly StructureItem[];
  readonly scorm2004: Scorm2004Course | null;
  readonly cmi5: Cmi5Course | null;
}

/** A node of the tree: a unit that learners open, a block (cluster) of items, or, in SCORM 2004, both. */
export interface StructureItem {
  /** Unique within the course. A unit's is also that of its `LaunchUnit`. */
  readonly id: string;
  readonly title: string;
  /** Whether there is a `LaunchUnit` with this id. */
  readonly isUnit: boolean;
  /** False when the item is not shown in a table of contents; it may still be played. */
  readonly isVisible: boolean;
  /** In the AICC script language, as in the manifest: SCORM 1.1, 1.2 and AICC. */
  readonly prerequisites: string | null;
  /** What completes the item besides its own status, in order; from AICC's `.cmp` file. */
  readonly completions: readonly AiccCompletion[];
  /** The objectives to which the item contributes, with titles if the course has them; AICC and cmi5. */
  readonly objectives: readonly CourseObjective[];
  readonly scorm2004: Scorm2004Item | null;
  readonly cmi5: Cmi5Item | null;
  readonly children: readonly StructureItem[];
}

/** A learning objective of AICC or cmi5. */
export interface CourseObjective {
  readonly id: string;
  readonly title: string | null;
}

/** A row of an AICC completion requirements file (CMI001, section 5.8). */
export interface AiccCompletion {
  /** In the AICC script language, for example `A1 & A2`. */
  readonly requirement: string;
  /** The status that the element gets; `C` (completed) if the file has none. */
  readonly result: string;
  readonly next: string | null;
  readonly returnTo: string | null;
}

/** The SCORM 2004 data of the root of the tree, which is the organization. */
export interface Scorm2004Course {
  /** The organization's identifier, the root activity's id. */
  readonly id: string;
  readonly title: string;
  /** Whether shared objectives keep their values across courses and attempts of one learner. */
  readonly objectivesGlobalToSystem: boolean;
  /** As `objectivesGlobalToSystem`, for shared data stores (4th edition). */
  readonly sharedDataGlobalToSystem: boolean;
  readonly completionThreshold: CompletionThreshold | null;
  readonly sequencing: Sequencing;
}

/** The SCORM 2004 data of an item. */
export interface Scorm2004Item {
  readonly sequencing: Sequencing;
  readonly completionThreshold: CompletionThreshold | null;
  /** Controls that the player must not show while the item is open. */
  readonly hideLmsUi: readonly HiddenControl[];
  /** Stores of `adl.data`, in order; 4th edition. */
  readonly sharedData: readonly SharedDataMap[];
}

/** `adlcp:completionThreshold`, with its defaults filled in. */
export interface CompletionThreshold {
  readonly completedByMeasure: boolean;
  /** 0 to 1. */
  readonly minProgressMeasure: number;
  /** 0 to 1. */
  readonly progressWeight: number;
}

/** The controls that `adlnav:hideLMSUI` may contain. */
export const HIDDEN_CONTROLS = [
  'previous',
  'continue',
  'exit',
  'exitAll',
  'abandon',
  'abandonAll',
  'suspendAll',
] as const;
/** One of {@link HIDDEN_CONTROLS}. */
export type HiddenControl = (typeof HIDDEN_CONTROLS)[number];

/** A map of `adlcp:data`. */
export interface SharedDataMap {
  readonly targetId: string;
  readonly readSharedData: boolean;
  readonly writeSharedData: boolean;
}

/** Texts by language tag; the first is the manifest's first. */
export type LanguageMap = Readonly<Record<string, string>>;

/** The cmi5 data of the course. */
export interface Cmi5Course {
  readonly titles: LanguageMap;
  readonly descriptions: LanguageMap;
  readonly objectives: readonly Cmi5Objective[];
}

/** An objective of a cmi5 course, which blocks and units refer to. */
export interface Cmi5Objective {
  readonly id: string;
  readonly titles: LanguageMap;
  readonly descriptions: LanguageMap;
}

/** The cmi5 data of a block or an assignable unit that is not in the unit's `LaunchUnit`. */
export interface Cmi5Item {
  readonly titles: LanguageMap;
  readonly descriptions: LanguageMap;
}

/** An item with a title and no other data. */
export function plainItem({ id, title }: { id: string; title: string }): StructureItem {
  return {
    id,
    title,
    isUnit: true,
    isVisible: true,
    prerequisites: null,
    completions: [],
    objectives: [],
    scorm2004: null,
    cmi5: null,
    children: [],
  };
}

/** The structure of a course whose manifest has none: its units, one after another. */
export function flatStructure(
  identifier: string | null,
  units: readonly { id: string; title: string }[],
): CourseStructure {
  return { identifier, items: units.map(plainItem), scorm2004: null, cmi5: null };
}

/** The units of a course in the order of its structure. Units that the structure does not have come last. */
export function inStructureOrder<Unit extends { readonly id: string }>(
  units: readonly Unit[],
  { items }: Pick<CourseStructure, 'items'>,
): Unit[] {
  const places = new Map<string, number>();
  const visit = ({ id, isUnit, children }: StructureItem) => {
    if (isUnit) places.set(id, places.size);
    for (const child of children) visit(child);
  };
  for (const item of items) visit(item);
  const placeOf = ({ id }: Unit) => places.get(id) ?? places.size;
  return units.toSorted((one, other) => placeOf(one) - placeOf(other));
}
