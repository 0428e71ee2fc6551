import { GEOLOGY } from './geology.ts';
import { GOLF } from './golf.ts';
import { OWN_AICC, OWN_CMI5, OWN_SCORM, OWN_XAPI } from './own-samples.ts';
import type { Script } from './play.ts';

/** The scripts of courses, by the course's name. Each script has its own learner. */
export const SCRIPTS: Readonly<Record<string, Readonly<Record<string, Script>>>> = {
  'Golf Explained - Run-time Basic Calls': GOLF,
  'Golf Explained - Run-time Advanced Calls': GOLF,
  'Introduction to Geology - Framed Style': GEOLOGY,
  'Own SCORM 1.2 sample': OWN_SCORM,
  'Own SCORM in a subfolder': OWN_SCORM,
  'Own SCORM 2004 2nd sample': OWN_SCORM,
  'Own SCORM 2004 3rd sample': OWN_SCORM,
  'Own SCORM 2004 4th sample': OWN_SCORM,
  'Own AICC sample': OWN_AICC,
  'Own cmi5 sample': OWN_CMI5,
  'Own Tin Can sample': OWN_XAPI,
};
