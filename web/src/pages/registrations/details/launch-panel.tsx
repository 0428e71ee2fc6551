import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { IconRocket } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { equivalentQuery } from '../../../api/equivalents.ts';
import { ApiError } from '../../../api/errors.ts';
import {
  launchRegistration,
  REGISTRATION_LAUNCH_MODES,
  type RegistrationLaunchMode,
  type RegistrationWithUnits,
  registrationsKey,
  runtimeQuery,
} from '../../../api/registrations.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import { BusyButton } from '../../../components/busy-button.tsx';
import { Callout } from '../../../components/callout.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Time } from '../../../components/time.tsx';
import { registrations } from '../../../texts/registrations.ts';
import { languageName } from '../../../utilities/language-name.ts';
import { useNow } from '../../../utilities/use-now.ts';
import styles from '../registrations.module.css';

const texts = registrations.launch;
const EXPIRY_EVERY_MS = 10_000;

/** Creates links that open the course for the learner. */
export function LaunchPanel({ registration }: { registration: RegistrationWithUnits }) {
  const queryClient = useQueryClient();
  const key = useRef('');
  const [mode, setMode] = useState<RegistrationLaunchMode>('normal');
  const [language, setLanguage] = useState('');
  const { language: currentLanguage } = registration;
  // Once the learner has opened a course or has a result, its language cannot be changed.
  const isUntouched = useIsUntouched(registration);
  const isOpen = registration.equivalent_id !== null && (currentLanguage === null || isUntouched);
  const equivalent = useQuery({ ...equivalentQuery(registration.equivalent_id ?? 0), enabled: isOpen });
  const languages = isOpen ? (equivalent.data?.record.courses ?? []).map((each) => each.language) : [];
  const launch = useMutation({
    mutationFn: (input: { mode: RegistrationLaunchMode; language?: string }) => {
      if (key.current === '') key.current = newIdempotencyKey();
      return launchRegistration(registration.registration_id, input, key.current);
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
  const { data: made, variables: madeFor } = launch;
  // A link of another mode would be copied as if it were of the one that is chosen.
  const forget = () => {
    key.current = '';
    launch.reset();
  };
  return (
    <Panel title={texts.title} description={texts.description}>
      <Stack gap="md">
        <FormProblem error={launch.error} />
        {made !== undefined && madeFor !== undefined && (
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
              {texts.madeFor(
                texts.modeNames[madeFor.mode],
                madeFor.language === undefined ? null : (languageName(madeFor.language) ?? madeFor.language),
              )}{' '}
              <Expiry at={made.expires_dt} />
            </div>
            <Callout tone="warn" live>
              {texts.private}
            </Callout>
          </>
        )}
        <div className={styles.choices}>
          <NativeSelect
            label={texts.mode}
            value={mode}
            data={REGISTRATION_LAUNCH_MODES.map((value) => ({ value, label: texts.modes[value] }))}
            onChange={({ currentTarget: { value } }) => {
              forget();
              setMode(REGISTRATION_LAUNCH_MODES.find((each) => each === value) ?? 'normal');
            }}
          />
          {languages.length > 1 && (
            <NativeSelect
              label={texts.language}
              value={language === '' ? (currentLanguage ?? '') : language}
              data={[
                ...(currentLanguage === null ? [{ value: '', label: texts.anyLanguage }] : []),
                ...[...new Set(currentLanguage === null ? languages : [currentLanguage, ...languages])].map(
                  (value) => ({
                    value,
                    label: languageName(value) ?? value,
                  }),
                ),
              ]}
              onChange={({ currentTarget: { value } }) => {
                forget();
                setLanguage(value);
              }}
            />
          )}
        </div>
        <p className={styles.note}>{registration.launched_dt === null ? texts.first : texts.again}</p>
        <div>
          <BusyButton
            variant={made === undefined ? 'filled' : 'default'}
            leftSection={<IconRocket size={16} stroke={1.6} />}
            isBusy={launch.isPending}
            onClick={() => launch.mutate(languages.includes(language) ? { mode, language } : { mode })}
          >
            {made === undefined ? texts.make : texts.another}
          </BusyButton>
        </div>
      </Stack>
    </Panel>
  );
}

/** Whether a registration has no result, and its learner has not opened the course, or not since the latest reset. */
function useIsUntouched(registration: RegistrationWithUnits): boolean {
  const { registration_id: id, attempt, completion, success, score } = registration;
  const hasResult = completion !== 'Unknown' || success !== 'UNKNOWN' || score !== null;
  const isAsked = registration.equivalent_id !== null && attempt > 0 && !hasResult;
  const history = useInfiniteQuery({ ...runtimeQuery(id), enabled: isAsked });
  if (hasResult || attempt === 0) return !hasResult;
  // A reset ends the attempt, which stays the latest until the course is opened again.
  const latest = history.data?.pages[0]?.attempts[0];
  return latest?.attempt === attempt && latest.ended_dt !== null;
}

/** When a link expires or has expired. */
function Expiry({ at }: { at: string }) {
  const now = useNow(EXPIRY_EVERY_MS);
  return (
    <>
      {Date.parse(at) > now ? texts.expires : texts.expired} <Time value={at} />
    </>
  );
}
