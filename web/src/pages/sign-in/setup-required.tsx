import { Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { uiBase } from '../../api/addresses.ts';
import { polling } from '../../api/polling.ts';
import { sessionQuery } from '../../api/session.ts';
import { BusyButton } from '../../components/busy-button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { account } from '../../texts/sign-in.ts';
import styles from './account-frame.module.css';
import { AccountFrame } from './account-frame.tsx';

const CHECK_MS = 5_000;
const COMMAND = 'coursewire user create --email you@example.com --role admin';
const texts = account.setupRequired;

/**
 * Shown while there is no administrator: explains where to find the link for the first one. Shows the sign-in form as
 * soon as there is one.
 */
export function SetupRequired() {
  const { refetch, isFetching } = useQuery({ ...sessionQuery, ...polling(CHECK_MS) });
  return (
    <AccountFrame title={texts.title} description={texts.lead} wide>
      <div className={styles.steps}>
        <p>{texts.where}</p>
        <div className={styles.command}>
          <Code bg="transparent" p={0}>{`${new URL('setup', uiBase()).href}#token=…`}</Code>
        </div>
        <p>{texts.otherwise}</p>
        <div className={styles.command}>
          <Code bg="transparent" p={0}>
            {COMMAND}
          </Code>
          <CopyButton value={COMMAND} />
        </div>
        <p className={styles.note}>{texts.expires}</p>
      </div>
      <BusyButton variant="default" isBusy={isFetching} onClick={() => void refetch()}>
        {texts.check}
      </BusyButton>
    </AccountFrame>
  );
}
