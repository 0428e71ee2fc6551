import { IconHistory } from '@tabler/icons-react';
import type { AuditSearch } from '../../api/audit.ts';
import { audit } from '../../texts/audit.ts';
import { MenuItemLink } from '../links.tsx';

/** Opens entries of the audit log: of an object that has no page of its own, or of a person. */
export function AuditMenuItem({
  search,
  label = audit.panel.action,
}: {
  search: AuditSearch;
  label?: string;
}) {
  return (
    <MenuItemLink
      leftSection={<IconHistory size={16} stroke={1.6} />}
      to="/administration/audit-log"
      search={search as never}
    >
      {label}
    </MenuItemLink>
  );
}
