import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { CATEGORIES, type Category, CHANNELS, channelsOf, type Settings } from "./settings.js";

const CATEGORY_LIST = Object.keys(CATEGORIES) as Category[];

/** The choice of channels for each category. */
export function Categories({ settings }: { settings: Settings }) {
  const { categories } = settings;
  const channels = channelsOf(settings);
  return (
    <fieldset class="card">
      <legend>Topics</legend>
      <div class="scroll ways">
        <table>
          <thead>
            <tr>
              <th scope="col">Topic</th>
              {channels.map((channel) => (
                <th key={channel} scope="col">
                  {CHANNELS[channel]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {CATEGORY_LIST.map((category) => (
              <tr key={category}>
                <th scope="row" class="wraps">
                  {CATEGORIES[category]}
                </th>
                {channels.map((channel) => (
                  <td key={channel}>
                    {category === "security" ? (
                      "Always"
                    ) : (
                      <input
                        type="checkbox"
                        name={`categories.${category}.${channel}`}
                        aria-label={`${CATEGORIES[category]} by ${CHANNELS[channel]}`}
                        defaultChecked={categories[category][channel]}
                      />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="quiet">You can't switch off security notifications.</p>
      <div class="pair">
        <Field
          label="Days before a deadline"
          name="categories.deadline.days_before"
          value={categories.deadline.days_before.join(", ")}
          hint="Up to 10 whole numbers, e.g. 30, 7, 1"
        />
        <Select
          label="Unusual amounts"
          name="categories.anomaly.min_severity"
          options={{ low: "All", medium: "Medium and high severity", high: "High severity only" }}
          value={categories.anomaly.min_severity}
        />
      </div>
    </fieldset>
  );
}
