/** Real courses keep more than the standards' 4,096 or 64,000 characters. */
export const MOST_SUSPEND_DATA = 2 ** 20;
export const MOST_LOCATION = 4_000;

/** Lets a member of the engine's data model hold longer texts than its own check allows. */
export function allowLongText(model: object, name: string, most: number): void {
  if (Object.hasOwn(model, name)) return;
  let inherited: PropertyDescriptor | undefined;
  for (let at: unknown = model; at !== null && inherited === undefined; at = Object.getPrototypeOf(at)) {
    inherited = Object.getOwnPropertyDescriptor(at as object, name);
  }
  if (inherited?.get === undefined || inherited.set === undefined) return;
  const { get, set } = inherited;
  let long: string | null = null;
  Object.defineProperty(model, name, {
    configurable: true,
    enumerable: inherited.enumerable ?? false,
    get: () => long ?? get.call(model),
    set: (value: unknown) => {
      const isLong =
        typeof value === 'string' && (value === '' || value.length > 255) && value.length <= most;
      long = isLong ? value : null;
      if (!isLong) set.call(model, value);
    },
  });
}
