import { expect } from "vitest";

interface Service {
  query(text: string): Promise<unknown[]>;
}

const IS_MAPPED = `EXISTS (SELECT FROM mapping_entry WHERE mapping_entry.account_id = user_group.account_id
  AND mapping_entry.environment = user_group.environment AND user_group_id = user_group.id)`;

/** Expects the columns that are derived from those of groups to be valid and right, after groups were written by the service only. */
export async function expectDerivedColumns(service: Service): Promise<void> {
  const wrong = await service.query(`
    SELECT provided_id, mapping_version, search_text, search_hash, mapped_version FROM user_group
    WHERE search_hash IS DISTINCT FROM hashtext(name || E'\\n' || provided_id)
      OR search_text IS DISTINCT FROM CASE WHEN name || provided_id !~ '^[\\x01-\\x7f]*$' THEN lower(regexp_replace(normalize(translate(name || E'\\n' || provided_id,
        'łŁøØđĐħĦŧŦı', 'lLoOdDhHtTi'), NFD), '[\\u0300-\\u036f]', '', 'g') COLLATE "default") END
      OR mapped_version IS DISTINCT FROM CASE WHEN ${IS_MAPPED} THEN 1 ELSE -1 END * mapping_version`);
  expect(wrong).toEqual([]);
}
