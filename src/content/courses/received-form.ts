import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { inputErrorsOf } from '../../http/validation.ts';
import { type InputError, invalidInput, pointerTo, withFurther } from '../../problems/problem.ts';

/** The part that contains the package. */
const PACKAGE_PART = 'file';
/** Parts that contain a number. */
const NUMBER_PARTS: readonly string[] = ['folder_id'];
/** The reader of forms puts it in place of bytes that are not valid in the encoding of a part. */
const REPLACEMENT_CHARACTER = '\ufffd';
/** Maximum length of a part name in a response. */
const SHOWN_NAME_CHARACTERS = 100;

/** Finds what the members of a form refer to and does not exist. */
export type FindMissing = (members: unknown) => Promise<readonly InputError[]>;

/** The parts of an upload form as they are received, in any order, and their errors. */
export class ReceivedForm {
  /** Undefined marks a part with a reported error, so that the schema adds no other. */
  readonly #members = new Map<string, unknown>();
  readonly #errors: InputError[] = [];

  addField({ fieldname, value, valueTruncated }: MultipartValue): void {
    const fault = valueTruncated ? 'is too long' : faultOf(value);
    const name = this.#add(fieldname, fault === null ? toNumber(fieldname, value) : undefined);
    if (name === PACKAGE_PART) this.#fault(name, 'must be a file: its part needs a filename');
    else if (fault !== null) this.#fault(name, fault);
  }

  /** Returns whether it is the package, not an unexpected file. */
  addFile({ fieldname }: MultipartFile): boolean {
    const isRepeated = this.#members.has(fieldname);
    const name = this.#add(fieldname, fieldname === PACKAGE_PART ? '' : undefined);
    if (name !== PACKAGE_PART) this.#fault(name, 'must be text, not a file');
    return name === PACKAGE_PART && !isRepeated;
  }

  /**
   * The members other than the file, once all parts have arrived, in the form of the route's body schema.
   * @param findMissing finds what the members of an invalid form refer to and does not exist
   * @throws {ProblemError} `invalid-request` naming every part that is missing, unknown, repeated or wrong
   */
  async check(request: FastifyRequest, findMissing: FindMissing): Promise<Record<string, unknown>> {
    const validate = request.getValidationFunction('body');
    if (validate === undefined) throw new Error('this route has no body schema');
    const members = Object.fromEntries(this.#members);
    validate(members);
    const validation = validate.errors ?? [];
    const bySchema = inputErrorsOf({ validation, validationContext: 'body' });
    if (bySchema.length === 0 && this.#errors.length === 0) return members;
    throw invalidInput(withFurther(bySchema, [...this.#errors, ...(await findMissing(members))]));
  }

  /** A part without a name is reported as an unknown part with an empty name. */
  #add(fieldname: string | undefined, value: unknown): string {
    const name = (fieldname ?? '').slice(0, SHOWN_NAME_CHARACTERS).toWellFormed();
    if (this.#members.has(name)) this.#fault(name, 'must be given only once');
    else this.#members.set(name, value);
    return name;
  }

  #fault(name: string, detail: string): void {
    const pointer = pointerTo('', name);
    if (this.#errors.every((error) => error.pointer !== pointer)) this.#errors.push({ pointer, detail });
  }
}

/** Why a text would be stored garbled; null if it would not. */
function faultOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (value.includes(REPLACEMENT_CHARACTER))
    return 'must be UTF-8 without U+FFFD, which replaces a character that could not be read';
  return value.isWellFormed() ? null : 'must not contain an unpaired surrogate (half a character)';
}

function toNumber(fieldname: string, value: unknown): unknown {
  const isNumber = NUMBER_PARTS.includes(fieldname) && typeof value === 'string' && /^\d{1,16}$/.test(value);
  return isNumber ? Number(value) : value;
}
