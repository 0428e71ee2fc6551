/** The id of the activity of the course. */
export const COURSE = 'https://example.com/courses/golf';
/** A verb of ADL. */
export const VERB = (name: string) => ({ id: `http://adlnet.gov/expapi/verbs/${name}` });
/** The package of an xAPI course of one activity. */
export const FILES = {
  'tincan.xml': `<?xml version="1.0"?>
    <tincan xmlns="http://projecttincan.com/tincan.xsd"><activities>
    <activity id="${COURSE}" type="http://adlnet.gov/expapi/activities/course">
    <name>Golf</name><launch lang="en">start.html?a=1#/start#top</launch></activity></activities></tincan>`,
  'start.html': '<!doctype html><title>Golf</title>',
};
