/** Real courses keep more than the standards' 4,096 or 64,000 characters. */
export const MOST_SUSPEND_DATA = 2 ** 20;
export const MOST_LOCATION = 4_000;

/** Whether a text is empty, or longer than the engine allows and not longer than `most`. */
export function emptyOrLong(most: number): (value: string) => boolean {
  return (value) => value === '' || (value.length > 255 && value.length <= most);
}

/** Lets a member of the engine's data model hold values that its own check refuses. */
export function allowValues(model: object, name: string, isAllowed: (value: string) => boolean): void {
  if (Object.hasOwn(model, name)) return;
  let inherited: PropertyDescriptor | undefined;
  for (let at: unknown = model; at !== null && inherited === undefined; at = Object.getPrototypeOf(at)) {
    inherited = Object.getOwnPropertyDescriptor(at as object, name);
  }
  if (inherited?.get === undefined || inherited.set === undefined) return;
  const { get, set } = inherited;
  let held: string | null = null;
  Object.defineProperty(model, name, {
    configurable: true,
    enumerable: inherited.enumerable ?? false,
    get() {
      // Of an element that is write only, it throws.
      const value: unknown = get.call(model);
      return held ?? value;
    },
    set: (value: unknown) => {
      if (typeof value === 'string' && isAllowed(value)) {
        held = value;
        return;
      }
      set.call(model, value);
      held = null;
    },
  });
}

/** The standards bound neither the digits nor the sign of a result that is a number. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

const RESULT = /^cmi\.interactions\.(\d+)\.result$/;

/** Whether a value is a number for the result of an interaction. */
export function isDecimalResult(element: string, value: string): boolean {
  return RESULT.test(element) && DECIMAL.test(value);
}

/** Lets an interaction that is there have every number for its result. */
export function allowDecimalResult(interactions: { childArray: object[] }, element: string): void {
  const index = RESULT.exec(element)?.[1];
  const interaction = index === undefined ? undefined : interactions.childArray[Number(index)];
  if (interaction !== undefined) allowValues(interaction, 'result', (value) => DECIMAL.test(value));
}

/**
 * Lets the id of a SCORM 2004 interaction change. The engine allows it to be set only once, which the standard requires
 * for objectives alone. A course that numbers its interactions from 0 at each visit would fail at the first of them.
 */
export function allowOtherId(interactions: { childArray: object[] }, element: string): void {
  const index = /^cmi\.interactions\.(\d+)\.id$/.exec(element)?.[1];
  const interaction = index === undefined ? undefined : interactions.childArray[Number(index)];
  if (interaction !== undefined) (interaction as { _idIsSet?: boolean })._idIsSet = false;
}

/** Loads what a unit left, with those results of its interactions that the engine would refuse, and all else with them. */
export function loadCmi(
  inner: { cmi: { interactions: { childArray: object[] } }; loadFromJSON(json: never): void },
  cmi: Record<string, unknown>,
): void {
  const kept = Object.entries((cmi.interactions ?? {}) as Record<string, { result?: unknown }>);
  const results = new Map<string, unknown>();
  const loadable = kept.map(([index, interaction]) => {
    const { result, ...others } = interaction;
    if (typeof result !== 'string' || !DECIMAL.test(result)) return [index, interaction];
    results.set(index, result);
    return [index, { ...others, result: '' }];
  });
  inner.loadFromJSON({ cmi: { ...cmi, interactions: Object.fromEntries(loadable) } } as never);
  for (const [index, result] of results) {
    allowDecimalResult(inner.cmi.interactions, `cmi.interactions.${index}.result`);
    Object.assign(inner.cmi.interactions.childArray[Number(index)] ?? {}, { result });
  }
}
