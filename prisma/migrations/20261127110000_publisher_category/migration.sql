-- The publisher's own category of an emission factor, as the workbook of UK DESNZ has it.

ALTER TABLE "emission_factors"
    ADD COLUMN "publisher_category" TEXT COLLATE "C",
    ADD CONSTRAINT "emission_factors_publisher_category_length" CHECK (char_length("publisher_category") <= 200);
