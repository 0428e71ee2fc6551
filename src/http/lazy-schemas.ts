import type { ErrorObject, ValidateFunction } from 'ajv';
import type { FastifyInstance } from 'fastify';
import type { Trimmed } from './excess.ts';

type Serialize = (data: unknown) => string;

/** By schema, so that further servers of the process need not compile it again. */
const serializers = new WeakMap<object, Serialize>();

/**
 * Compiles response schemas when they are first needed. Compiling all of them takes 90 ms, most of the startup.
 * The first route of each scope is compiled at startup, because the server then sets up the compiler of that
 * scope.
 */
export function serializeLazily(app: FastifyInstance): void {
  const scopes = new WeakSet<FastifyInstance>();
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    if ((route.schema as { response?: unknown } | undefined)?.response === undefined) return;
    if (!scopes.has(this)) {
      scopes.add(this);
      return;
    }
    route.serializerCompiler ??= (definition) => {
      const schema = definition.schema as object;
      let serialize: Serialize | undefined;
      return (data) => {
        serialize ??= serializers.get(schema);
        if (serialize === undefined) {
          serialize = this.serializerCompiler!(definition) as Serialize;
          serializers.set(schema, serialize);
        }
        return serialize(data);
      };
    };
  });
}

/**
 * A validation that is compiled when it is first needed; those of all routes take 45 ms.
 * @param trim removes excess input that is rejected without further checks, so that validation takes a limited time. May
 *   find other errors, too
 */
export function validateLazily(
  compile: () => ValidateFunction,
  trim: (data: unknown) => Trimmed,
): {
  (data: unknown): boolean;
  errors?: ErrorObject[] | null;
} {
  let validate: ValidateFunction | undefined;
  const lazy = (data: unknown): boolean => {
    validate ??= compile();
    const { value, errors } = trim(data);
    const fits = validate(value);
    const all = [...errors, ...(validate.errors ?? [])];
    lazy.errors = all.length === 0 ? null : all;
    return fits && errors.length === 0;
  };
  lazy.errors = null as ErrorObject[] | null;
  return lazy;
}
