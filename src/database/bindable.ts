import type { SqlValue } from './database.ts';

/** A value cannot be bound to SQL. */
export class UnbindableValueError extends TypeError {}

/**
 * Refuses values that an engine would bind as something else. `node:sqlite` takes an object in first place for
 * named parameters, so a `Date` there silently binds NULL. `pg` writes dates in the local time zone, and objects as
 * JSON.
 * @throws {UnbindableValueError}
 */
export function assertBindable(values: readonly unknown[]): asserts values is SqlValue[] {
  // By index: an iterator for each row would be a twentieth of the garbage of deliveries.
  for (let place = 0; place < values.length; place++) {
    const value = values[place];
    const type = typeof value;
    if (type === 'string' || value === null) continue;
    if (type === 'number' && Number.isFinite(value)) continue;
    if (type === 'bigint' || value instanceof Uint8Array) continue;
    throw new UnbindableValueError(
      `a value of type ${value instanceof Date ? 'Date' : type} cannot be bound to SQL`,
    );
  }
}
