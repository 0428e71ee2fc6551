/** A list of the engine's data model. */
interface ElementList {
  childArray: object[];
}

/** Only these members are read, because reading others may throw. */
const LISTS = ['objectives', 'interactions', 'comments_from_learner', 'correct_responses'];

/**
 * Sets an element of a list. The engine adds an item to the list before it checks the value. If the first value of an
 * item is rejected, the item is removed.
 */
export function setInLists(cmi: object, element: string, set: () => string): string {
  const before = listsOf(cmi, element).map((list) => ({ list, count: list.childArray.length }));
  const result = set();
  if (result !== 'true') {
    for (const { list, count } of before) list.childArray.length = Math.min(count, list.childArray.length);
  }
  return result;
}

/** The lists that contain an element, the outermost first. */
function listsOf(cmi: object, element: string): ElementList[] {
  const lists: ElementList[] = [];
  let at: unknown = cmi;
  for (const name of element.split('.').slice(1)) {
    if (/^\d+$/.test(name)) {
      if (!isList(at)) break;
      lists.push(at);
      at = at.childArray[Number(name)];
    } else if (!LISTS.includes(name)) break;
    else at = (at as Record<string, unknown>)[name];
    if (typeof at !== 'object' || at === null) break;
  }
  return lists;
}

function isList(value: unknown): value is ElementList {
  return typeof value === 'object' && value !== null && Array.isArray((value as ElementList).childArray);
}
