import { describe, it } from 'node:test';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService } from '../support/service.ts';
import { newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const ITEMS =
  '<item identifier="i1" identifierref="r1"><title>Lesson 1</title></item>' +
  '<item identifier="i2" identifierref="r1"><title>Lesson 2</title><adlcp:prerequisites type="aicc_script">i1</adlcp:prerequisites></item>';

describe('a unit with prerequisites in a browser', () => {
  it('is shown as not open, and opens once they are met', async () => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, scorm12Course({ items: ITEMS }));
    await using learner = await newLearner(await sharedBrowser());
    await learner.open(service, registrationId);
    await learner.given();
    const second = learner.page.getByRole('button', { name: 'Lesson 2' });
    await second.and(learner.page.locator(':disabled')).waitFor();
    await second.getByText('Opens once earlier units are done').waitFor();
    // The unit does not end its session.
    await learner.calls(['LMSSetValue', 'cmi.core.lesson_status', 'passed'], ['LMSCommit', '']);
    await second.and(learner.page.locator(':enabled')).click();
    await learner.page.locator('iframe[title="Lesson 2"]').waitFor();
    await learner.given();
  });

  it('does not open if they are no longer met, and the page says why', async () => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, scorm12Course({ items: ITEMS }));
    await using learner = await newLearner(await sharedBrowser());
    // The page's data is older than the service's.
    await learner.page.route('**/open', async (route) => {
      const response = await route.fetch();
      const page = await response.json();
      for (const unit of page.units) unit.isOpen = true;
      await route.fulfill({ response, json: page });
    });
    await learner.open(service, registrationId);
    await learner.given();
    const second = learner.page.getByRole('button', { name: 'Lesson 2' });
    await second.click();
    await learner.page.getByRole('heading', { name: 'This unit is not open yet' }).waitFor();
    await second.and(learner.page.locator(':disabled')).waitFor();
  });
});
