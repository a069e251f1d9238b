-- The country of a facility may be unknown, as in many public data sets.
ALTER TABLE "facilities" ALTER COLUMN "country" DROP NOT NULL;
