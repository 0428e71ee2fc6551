/** Courses store more than the 4,096 or 64,000 characters of the standards. */
export const MOST_SUSPEND_DATA = 2 ** 20;
export const MOST_LOCATION = 4_000;

/** Returns a check that accepts a text if it is empty, or longer than the engine allows and not longer than `most`. */
export function emptyOrLong(most: number): (value: string) => boolean {
  return (value) => value === '' || (value.length > 255 && value.length <= most);
}

/** Lets a member of the engine's data model accept values that its own check rejects. */
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
      // It throws for a write-only element.
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

/**
 * Lets the id of a SCORM 2004 interaction change. The engine allows setting it only once, which the standard requires
 * only for objectives. A course that numbers its interactions from 0 at each visit would fail at the first of them.
 */
export function allowOtherId(interactions: { childArray: object[] }, element: string): void {
  const index = /^cmi\.interactions\.(\d+)\.id$/.exec(element)?.[1];
  const interaction = index === undefined ? undefined : interactions.childArray[Number(index)];
  if (interaction !== undefined) (interaction as { _idIsSet?: boolean })._idIsSet = false;
}
