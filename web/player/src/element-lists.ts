/** A list of the engine's data model. */
interface ElementList {
  childArray: object[];
}

/** Other members may not be readable. */
const LISTS = ['objectives', 'interactions', 'comments_from_learner', 'correct_responses'];

/**
 * Sets an element of a list. The engine adds a place for it before it looks at the value; a place whose first value is
 * refused goes again.
 */
export function setInLists(cmi: object, element: string, set: () => string): string {
  const before = listsOf(cmi, element).map((list) => ({ list, count: list.childArray.length }));
  const answer = set();
  if (answer !== 'true') {
    for (const { list, count } of before) list.childArray.length = Math.min(count, list.childArray.length);
  }
  return answer;
}

/** The lists that an element is in, from the outer one. */
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
