import { assetKey } from '../../../../../src/events/asset-key.ts';
import type { BundledType, BundleInput, BundleRecord } from '../../../api/bundles.ts';
import type { EquivalentInput, EquivalentRecord } from '../../../api/equivalents.ts';
import type { InputError } from '../../../api/errors.ts';
import { nameFault } from '../../../components/name-fault.ts';
import { folders } from '../../../texts/content.ts';
import { groups } from '../../../texts/content-groups.ts';
import { capitalized } from '../../../utilities/capitalized.ts';
import { tagOf } from './languages.ts';

export type GroupKind = 'equivalent' | 'bundle';

/** The start of a tag that means a language. Longer ones are reserved or unused (RFC 5646, section 2.2.1). */
const PRIMARY_SUBTAG = /^[a-z]{2,3}(-|$)/;

/** The limit of the API. */
export const MAX_ITEMS = 200;

/** An item of an equivalent or a bundle. */
export interface GroupItem {
  /** Unique in its list. The key of an item never changes. */
  key: string;
  type: BundledType;
  id: number;
  name: string;
  /** Only in an equivalent: a tag, or the text typed so far. */
  language: string;
}

/** An equivalent or a bundle while it is edited. */
export interface GroupDraft {
  name: string;
  folderId: number;
  items: readonly GroupItem[];
}

/** The errors of a draft. Those of items are by their keys. */
export interface GroupErrors {
  name?: string;
  folder?: string;
  items?: string;
  ofItem: ReadonlyMap<string, string>;
}

/** The errors of a draft that has none. */
export const NO_ERRORS: GroupErrors = { ofItem: new Map() };

/** The draft of a new equivalent or bundle. */
export function emptyDraft(folderId: number): GroupDraft {
  return { name: '', folderId, items: [] };
}

/** The draft with which the edit of an equivalent starts. */
export function draftOfEquivalent({ name, folder_id, courses }: EquivalentRecord): GroupDraft {
  const items = courses.map(({ course_id, language, name: course }) => ({
    key: `COURSE ${course_id} ${language}`,
    type: 'COURSE' as const,
    id: course_id,
    name: course,
    language,
  }));
  return { name, folderId: folder_id, items };
}

/** The draft with which the edit of a bundle starts. */
export function draftOfBundle({ name, folder_id, contents }: BundleRecord): GroupDraft {
  const items = contents.map((content) => ({
    ...content,
    key: assetKey(content),
    language: '',
  }));
  return { name, folderId: folder_id, items };
}

/** The equivalent to send. Invalid languages stay, so that the service says what is wrong with them. */
export function toEquivalent({ name, folderId, items }: GroupDraft): EquivalentInput {
  const courses = items.map(({ id, language }) => ({
    course_id: id,
    language: canonicalLanguage(language) ?? language,
  }));
  return { name: name.trim(), folder_id: folderId, courses };
}

/** The bundle to send. */
export function toBundle({ name, folderId, items }: GroupDraft): BundleInput {
  return { name: name.trim(), folder_id: folderId, contents: items.map(({ type, id }) => ({ type, id })) };
}

/** The canonical tag (BCP 47) of a tag or of the name of a language; null if it is invalid. */
function canonicalLanguage(text: string): string | null {
  try {
    const [tag = ''] = Intl.getCanonicalLocales(tagOf(text));
    return PRIMARY_SUBTAG.test(tag) ? tag : null;
  } catch {
    return null;
  }
}

/** The errors that are known before it is sent; null if there are none. */
export function checkDraft(kind: GroupKind, { name, items }: GroupDraft): GroupErrors | null {
  const wrongName = nameFault(name, folders.nameFaults);
  const ofItem = kind === 'equivalent' ? checkLanguages(items) : new Map<string, string>();
  const errors: GroupErrors = {
    ...(wrongName === null ? {} : { name: wrongName }),
    ...(items.length === 0 ? { items: groups[kind].required } : {}),
    ...(items.length > MAX_ITEMS ? { items: groups.full(MAX_ITEMS) } : {}),
    ofItem,
  };
  return errors.name === undefined && errors.items === undefined && ofItem.size === 0 ? null : errors;
}

function checkLanguages(items: readonly GroupItem[]): Map<string, string> {
  const errors = new Map<string, string>();
  const first = new Map<string, string>();
  for (const { key, language } of items) {
    const tag = canonicalLanguage(language);
    if (language.trim() === '') errors.set(key, groups.languageRequired);
    else if (tag === null) errors.set(key, groups.languageUnknown);
    else if (first.has(tag)) errors.set(key, groups.languageRepeats);
    else first.set(tag, key);
  }
  return errors;
}

/** The errors of the service, assigned to the members. */
export function errorsFromService(draft: GroupDraft, reported: readonly InputError[]): GroupErrors {
  const ofItem = new Map<string, string>();
  const errors: { name?: string; folder?: string; items?: string } = {};
  for (const { pointer, detail } of reported) {
    const [, member = '', at] = pointer.split('/');
    const text = capitalized(detail);
    const item = at === undefined ? undefined : draft.items[Number(at)];
    if (member === 'name') errors.name = text;
    else if (member === 'folder_id') errors.folder = text;
    else if (item !== undefined) ofItem.set(item.key, text);
    else if (member === 'courses' || member === 'contents') errors.items = text;
  }
  return { ...errors, ofItem };
}

/** A saved draft whose items have the keys of the sent ones, because an item keeps its elements by its key. */
export function withKeysOf(sent: GroupDraft, saved: GroupDraft): GroupDraft {
  const items = saved.items.map((item, at) => {
    const before = sent.items[at];
    return before?.type === item.type && before.id === item.id ? { ...item, key: before.key } : item;
  });
  return { ...saved, items };
}

/** A draft after it was saved: what was changed since it was sent stays, everything else is as saved. */
export function afterSaving(draft: GroupDraft, sent: GroupDraft, saved: GroupDraft): GroupDraft {
  return {
    name: draft.name === sent.name ? saved.name : draft.name,
    folderId: draft.folderId === sent.folderId ? saved.folderId : draft.folderId,
    items: draft.items === sent.items ? saved.items : draft.items,
  };
}

/** Whether two drafts are equal when saved. */
export function isSameDraft(a: GroupDraft, b: GroupDraft): boolean {
  return (
    a.name.trim() === b.name.trim() &&
    a.folderId === b.folderId &&
    a.items.length === b.items.length &&
    a.items.every((item, at) => {
      const other = b.items[at];
      return other?.type === item.type && other.id === item.id && other.language === item.language;
    })
  );
}
