import { Button, Tabs } from '@mantine/core';
import { IconBuildingOff, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Account, accountQuery } from '../../../api/accounts.ts';
import { ChangesPanel } from '../../../components/audit/changes-panel.tsx';
import { Callout } from '../../../components/callout.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { EventsPanel } from '../../../components/events/events-panel.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { CreateRegistrationDialog } from '../../../components/registrations/create-registration-dialog.tsx';
import { RegistrationTable } from '../../../components/registrations/registration-table.tsx';
import { Time } from '../../../components/time.tsx';
import { Unread } from '../../../components/unread.tsx';
import { useIsMissing } from '../../../components/use-is-missing.ts';
import { useFormInAddress } from '../../../navigation/opened-within.ts';
import { usePageName } from '../../../navigation/page-name.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { accounts } from '../../../texts/accounts.ts';
import { registrations } from '../../../texts/registrations.ts';
import { AccountMenu } from '../account-menu.tsx';
import { ACCOUNT_TABS, type AccountTab } from '../account-search.ts';
import { AccountState } from '../account-state.tsx';
import styles from '../accounts.module.css';
import { useAccountActions } from '../use-account-actions.tsx';
import { AddContentsDialog } from './add-contents-dialog.tsx';
import { ContentsPanel } from './contents-panel.tsx';

const route = getRouteApi('/app/accounts/$accountId');
const texts = accounts.contents;

/** An account: its content and its registrations. */
export function AccountPage() {
  const { accountId } = route.useParams();
  const read = useQuery(accountQuery(accountId));
  const { data } = read;
  if (useIsMissing(accountId, read)) return <MissingAccount />;
  if (data !== undefined) return <Details key={data.record.id} account={data.record} />;
  return <Unread query={read} />;
}

function Details({ account }: { account: Account }) {
  const { tab: asked = 'content', add, new: registering } = route.useSearch();
  const navigate = route.useNavigate();
  const isAdmin = useIsAdmin();
  const tabs = ACCOUNT_TABS.filter((each) => each !== 'changes' || isAdmin);
  // Someone else's link may be to a tab that this person does not have.
  const tab = tabs.includes(asked) ? asked : 'content';
  const actions = useAccountActions(true);
  usePageName(account.name);
  const openTab = (to: string | null) => {
    if (!isTab(to)) return;
    void navigate({ search: to === 'content' ? {} : { tab: to }, resetScroll: false });
  };
  const { open, close } = useFormInAddress(['add', 'new']);
  return (
    <>
      <PageHeader
        title={<bdi>{account.name}</bdi>}
        back={{ link: { to: '/accounts' }, label: accounts.title }}
        badges={<AccountState enabled={account.enabled} />}
        description={
          <>
            {accounts.one} {accounts.id(account.id)} · {accounts.changed} <Time value={account.updated_dt} />
          </>
        }
        actions={
          isAdmin && (
            <>
              <AccountMenu account={account} onAct={actions.act} isOwnPage />
              {actions.dialogs}
              {tab === 'content' ? (
                <Button
                  leftSection={<IconPlus size={16} stroke={1.8} />}
                  onClick={() => open({ add: 'yes' })}
                >
                  {texts.add.action}
                </Button>
              ) : tab === 'registrations' ? (
                <Button
                  leftSection={<IconPlus size={16} stroke={1.8} />}
                  disabled={!account.enabled}
                  onClick={() => open({ new: 'yes' })}
                >
                  {registrations.create.action}
                </Button>
              ) : null}
            </>
          )
        }
      />
      {!account.enabled && (
        <div className={styles.note}>
          <Callout tone="warn">{accounts.inactiveNote}</Callout>
        </div>
      )}
      <Tabs value={tab} onChange={openTab} keepMounted={false}>
        <Tabs.List aria-label={accounts.tabs.label} mb="lg">
          {tabs.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {accounts.tabs[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="content">
          <ContentsPanel account={account} />
        </Tabs.Panel>
        <Tabs.Panel value="registrations">
          <RegistrationTable accountId={account.id} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <EventsPanel about={{ account_id: account.id }} />
        </Tabs.Panel>
        <Tabs.Panel value="changes">
          <ChangesPanel type="ACCOUNT" id={account.id} />
        </Tabs.Panel>
      </Tabs>
      {isAdmin && (
        <>
          <AddContentsDialog
            accounts={[account]}
            opened={add === 'yes' && tab === 'content'}
            onClose={close}
          />
          <CreateRegistrationDialog
            accountId={account.id}
            opened={registering === 'yes' && tab === 'registrations'}
            onClose={close}
          />
        </>
      )}
    </>
  );
}

function MissingAccount() {
  return (
    <EmptyState
      heading="h1"
      icon={IconBuildingOff}
      title={accounts.missing.title}
      description={accounts.missing.description}
      action={
        <ButtonLink variant="default" to="/accounts">
          {accounts.missing.action}
        </ButtonLink>
      }
    />
  );
}

function isTab(value: string | null): value is AccountTab {
  return (ACCOUNT_TABS as readonly (string | null)[]).includes(value);
}
