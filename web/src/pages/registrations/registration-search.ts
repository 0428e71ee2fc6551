import { MAX_COUNTED } from '../../../../src/ui-api/list-limits.ts';
import { REGISTRATION_SORTS, REGISTRATION_STATES } from '../../api/registrations.ts';
import { tableSearch } from '../../utilities/table-search.ts';

/**
 * The address of the list: `search` is the beginning of a learner's id, `learner` a whole one. `new` opens the form
 * for one new registration, or for many.
 */
export const registrationListSearch = tableSearch({
  sorts: REGISTRATION_SORTS,
  filters: { status: REGISTRATION_STATES, new: ['yes', 'many'] },
  ids: ['account_id', 'course_id', 'equivalent_id'],
  texts: ['learner'],
  maxOffset: MAX_COUNTED,
});
