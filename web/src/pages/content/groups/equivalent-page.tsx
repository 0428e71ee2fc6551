import { IconLanguageOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { equivalentForEditQuery, equivalentQuery, updateEquivalent } from '../../../api/equivalents.ts';
import { isNoSuchRecord } from '../../../api/errors.ts';
import { Unread } from '../../../components/unread.tsx';
import { useIsMissing } from '../../../components/use-is-missing.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { MissingAsset } from '../missing-asset.tsx';
import { draftOfEquivalent, toEquivalent } from './group-draft.ts';
import { GroupPage } from './group-page.tsx';

const route = getRouteApi('/app/content-layout/content/equivalents/$equivalentId');

/** An equivalent. */
export function EquivalentPage() {
  const { equivalentId } = route.useParams();
  const id = Number(equivalentId);
  const isAdmin = useIsAdmin();
  const query = (isAdmin ? equivalentForEditQuery : equivalentQuery)(id);
  const read = useQuery(query);
  const { data } = read;
  if (useIsMissing(id, read, isNoSuchRecord)) return <MissingAsset icon={IconLanguageOff} />;
  if (data === undefined) return <Unread query={read} />;
  return (
    <GroupPage
      key={id}
      kind="equivalent"
      read={data}
      queryKey={query.queryKey}
      toDraft={draftOfEquivalent}
      update={(draft, etag) => updateEquivalent(id, toEquivalent(draft), etag)}
    />
  );
}
