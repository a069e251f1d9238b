import { z } from "zod";
import { type FacilityFieldsFragment, graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { listQuery, nextCursor, pageOf, pageShape } from "../list.js";
import { countryShape, flag, uuidShape } from "../values.js";

const facilityShape = z
  .object({
    id: z.uuid(),
    code: z.string().meta({ description: "Unique in the organization. It cannot be changed." }),
    name: z.string(),
    country: z.string().nullable().meta({ description: "ISO 3166-1 alpha-2." }),
    archived_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "An archived facility takes no new records." }),
    version: z.int(),
  })
  .meta({ id: "Facility" });

type FacilityData = z.infer<typeof facilityShape>;

const EXAMPLE: FacilityData = {
  id: "0c9b7a52-6d4e-4f8b-8d57-2b8a9c0e7d16",
  code: "HAM-1",
  name: "Hamburg works",
  country: "DE",
  archived_at: null,
  version: 1,
};

graphql(`
  fragment FacilityFields on Facility {
    id code name country archivedAt version
  }
`);

const describeFacility = (facility: FacilityFieldsFragment): FacilityData => ({
  id: facility.id,
  code: facility.code,
  name: facility.name,
  country: facility.country ?? null,
  archived_at: facility.archivedAt?.toISOString() ?? null,
  version: facility.version,
});

const params = z.object({ id: uuidShape });
const version = ({ version }: FacilityData) => version;
const name = z.string().meta({ description: "1 to 200 characters." });
const country = countryShape
  .nullable()
  .meta({ description: "ISO 3166-1 alpha-2, such as `IN`; null if unknown." });

/** The organization's facilities. */
export const facilities = [
  endpoint({
    path: "/facilities",
    summary: "The organization's facilities, by code",
    scope: "read:emissions",
    operation: graphql(`
      query RestFacilities($search: String, $includeArchived: Boolean!, $first: Int, $after: String) {
        facilities(search: $search, includeArchived: $includeArchived, first: $first, after: $after) {
          nodes { ...FacilityFields }
          pageInfo { hasNextPage endCursor }
        }
      }
    `),
    query: listQuery.extend({
      q: z
        .string()
        .optional()
        .meta({ description: "Only facilities whose code or name contains this text." }),
      include_archived: flag("Whether archived facilities are listed, too."),
    }),
    variables: ({ query: { q, include_archived = false, ...page } }) => ({
      search: q ?? null,
      includeArchived: include_archived,
      ...pageOf(page),
    }),
    data: pageShape("Facilities", facilityShape),
    example: { items: [EXAMPLE], next_cursor: null },
    reshape: ({ facilities: { nodes, pageInfo } }) => ({
      items: nodes.map(describeFacility),
      next_cursor: nextCursor(pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/facilities",
    summary: "Adds a facility",
    scope: "write:emissions",
    operation: graphql(`
      mutation RestCreateFacility($input: FacilityInput!) {
        createFacility(input: $input) {
          facility { ...FacilityFields }
          isNew
        }
      }
    `),
    body: z.strictObject({
      code: z.string().meta({ description: "1 to 200 characters, unique in the organization." }),
      name,
      country: country.optional(),
    }),
    variables: ({ body }) => ({ input: body }),
    data: facilityShape,
    example: EXAMPLE,
    reshape: ({ createFacility: { facility } }) => describeFacility(facility),
    createdId: ({ id }, { createFacility: { isNew } }) => (isNew ? id : undefined),
    mayExist: true,
    version,
  }),
  endpoint({
    path: "/facilities/{id}",
    summary: "A facility",
    scope: "read:emissions",
    operation: graphql(`
      query RestFacility($id: UUID!) { facility(id: $id) { ...FacilityFields } }
    `),
    params,
    variables: ({ params }) => params,
    data: facilityShape,
    example: EXAMPLE,
    reshape: ({ facility }) => describeFacility(facility),
    version,
  }),
  endpoint({
    method: "PATCH",
    path: "/facilities/{id}",
    summary: "Changes the name or country of a facility, archives it or brings it back",
    scope: "write:emissions",
    operation: graphql(`
      mutation RestUpdateFacility($id: UUID!, $patch: FacilityPatchInput!, $expectedVersion: Int) {
        updateFacility(id: $id, patch: $patch, expectedVersion: $expectedVersion) { ...FacilityFields }
      }
    `),
    params,
    body: z.strictObject({ name, country, archived: z.boolean() }).partial(),
    variables: ({ params, body, expectedVersion }) => ({ ...params, patch: body, expectedVersion }),
    data: facilityShape,
    example: { ...EXAMPLE, version: 2 },
    reshape: ({ updateFacility }) => describeFacility(updateFacility),
    version,
  }),
  endpoint({
    method: "DELETE",
    path: "/facilities/{id}",
    summary: "Archives a facility: its records stay, and it takes no new ones",
    scope: "write:emissions",
    operation: graphql(`
      mutation RestArchiveFacility($id: UUID!, $expectedVersion: Int) {
        archiveFacility(id: $id, expectedVersion: $expectedVersion) { ...FacilityFields }
      }
    `),
    params,
    variables: ({ params, expectedVersion }) => ({ ...params, expectedVersion }),
    data: facilityShape,
    example: { ...EXAMPLE, archived_at: "2026-11-20T10:00:00.000Z", version: 2 },
    reshape: ({ archiveFacility }) => describeFacility(archiveFacility),
    version,
  }),
];
