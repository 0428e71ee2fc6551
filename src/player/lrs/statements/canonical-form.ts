import { isObject } from '../../../is-object.ts';
import type { JsonObject } from '../xapi-types.ts';
import { TextChoice } from './text-choice.ts';

/** Definitions of activities, by activity id. */
export type Definitions = ReadonlyMap<string, JsonObject>;

/** Returns the stored definition of an activity, which replaces that of a statement. */
export type FindDefinition = (activityId: string) => JsonObject | undefined;

/** Converts statements to the format `canonical`: each text in the language that fits best. */
export class CanonicalForm {
  readonly #choice: TextChoice;
  /** By the stored definition. */
  readonly #prepared = new Map<JsonObject, { definition: JsonObject; length: number }>();
  #remaining: number;

  /**
   * @param options.maxLength how many characters of JSON the stored definitions may add, over all mentions of their
   *   activities. After that, statements keep their own definitions
   */
  constructor({ languages, maxLength }: { languages: readonly string[]; maxLength: number }) {
    this.#choice = new TextChoice(languages);
    this.#remaining = maxLength;
  }

  /** Converts a statement or substatement. */
  of(statement: JsonObject, find: FindDefinition): JsonObject {
    const copy: JsonObject = { ...statement };
    const { verb, object, context } = statement;
    if (isObject(verb) && isObject(verb.display)) {
      copy.verb = { ...verb, display: this.#choice.among(verb.display) };
    }
    copy.object = this.#object(object, find);
    if (!isObject(context) || !isObject(context.contextActivities)) return copy;
    const lists = Object.entries(context.contextActivities).map(([name, value]) => [
      name,
      [value].flat().map((each) => this.#object(each, find)),
    ]);
    copy.context = { ...context, contextActivities: Object.fromEntries(lists) };
    return copy;
  }

  #object(object: unknown, find: FindDefinition): unknown {
    if (!isObject(object)) return object;
    const type = object.objectType ?? 'Activity';
    if (type === 'SubStatement') return this.of(object, find);
    if (type !== 'Activity') return object;
    const stored = this.#stored(find(object.id as string));
    if (stored !== null) return { ...object, definition: stored };
    return isObject(object.definition)
      ? { ...object, definition: this.#definition(object.definition) }
      : object;
  }

  /** A stored definition in one language; null if there is none, or not enough of the maximum length is left. */
  #stored(known: JsonObject | undefined): JsonObject | null {
    if (known === undefined) return null;
    let prepared = this.#prepared.get(known);
    if (prepared === undefined) {
      const definition = this.#definition(known);
      prepared = { definition, length: JSON.stringify(definition).length };
      this.#prepared.set(known, prepared);
    }
    if (prepared.length > this.#remaining) return null;
    this.#remaining -= prepared.length;
    return prepared.definition;
  }

  #definition(definition: JsonObject): JsonObject {
    const entries = Object.entries(definition).map(([name, value]) => {
      if ((name === 'name' || name === 'description') && isObject(value)) {
        return [name, this.#choice.among(value)];
      }
      const isComponents = Array.isArray(value) && name !== 'correctResponsesPattern';
      return [name, isComponents ? value.map((each) => this.#definition(each)) : value];
    });
    return Object.fromEntries(entries);
  }
}
