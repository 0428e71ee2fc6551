import { Button, Stack, TextInput } from '@mantine/core';
import { IconRocket } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError } from '../../../api/errors.ts';
import { launchRegistration, type Registration, registrationsKey } from '../../../api/registrations.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import { Callout } from '../../../components/callout.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Time } from '../../../components/time.tsx';
import { registrations } from '../../../texts/registrations.ts';
import styles from '../registrations.module.css';

const texts = registrations.launch;

/** Creates links that open the course for the learner. */
export function LaunchPanel({ registration }: { registration: Registration }) {
  const queryClient = useQueryClient();
  const key = useRef('');
  const launch = useMutation({
    mutationFn: () => {
      if (key.current === '') key.current = newIdempotencyKey();
      return launchRegistration(registration.registration_id, key.current);
    },
    onSuccess: async () => {
      key.current = '';
      await queryClient.invalidateQueries({ queryKey: registrationsKey });
    },
    onError: (error) => {
      // A rejected request may succeed later, so only a lost response is repeated with the same key.
      if (error instanceof ApiError) key.current = '';
    },
  });
  const made = launch.data;
  return (
    <Panel title={texts.title} description={texts.description}>
      <Stack gap="md">
        <FormProblem error={launch.error} />
        {made !== undefined && (
          <>
            <div className={styles.link}>
              <TextInput
                label={texts.label}
                value={made.launch_url}
                readOnly
                onFocus={(event) => event.currentTarget.select()}
                classNames={{ root: styles.linkField ?? '' }}
              />
              <CopyButton value={made.launch_url} wide />
            </div>
            <div>
              {texts.expires} <Time value={made.expires_dt} />
            </div>
            <Callout tone="warn" live>
              {texts.private}
            </Callout>
          </>
        )}
        <p className={styles.note}>{registration.launched_dt === null ? texts.first : texts.again}</p>
        <div>
          <Button
            variant={made === undefined ? 'filled' : 'default'}
            leftSection={<IconRocket size={16} stroke={1.6} />}
            loading={launch.isPending}
            onClick={() => launch.mutate()}
          >
            {made === undefined ? texts.make : texts.another}
          </Button>
        </div>
      </Stack>
    </Panel>
  );
}
