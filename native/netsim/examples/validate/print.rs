use crate::chance::most_far;
use crate::row::{Configuration, Measure, Row, all_pass, count_far};

/// Prints one JSON object on each line: the cells, then the configurations.
pub fn print_json(rows: &[Row]) {
    for row in rows {
        println!("{}", row.json());
    }
    for configuration in Configuration::all(rows) {
        println!("{}", configuration.json());
    }
}

/// Prints Markdown: for each cell the mean of the computed loads, its ratio to the reference's mean, and z; then the
/// configurations.
pub fn print_markdown(rows: &[Row]) {
    println!(
        "| reference | Mbit/s | RTT ms | loss | queue | N × bytes | streams | T | P25 | P50 | T, medians | drops |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        let cell = &row.cell;
        let streams = row.streams().map_or_else(|| "–".to_owned(), |streams| streams.to_string());
        let failed = if row.failed == 0 { String::new() } else { format!(", {} failed", row.failed) };
        let measures: Vec<String> = row.measures.iter().map(measure).collect();
        let queue = cell.queue_packets.map_or_else(|| "–".to_owned(), |packets| packets.to_string());
        let drops =
            row.drops.map_or_else(|| "–".to_owned(), |drops| format!("{:.1} ({:.1})", drops.ours, drops.reference));
        println!(
            "| {} | {} | {} | {} % | {queue} | {} × {}{failed} | {streams} | {} | {:.2} | {drops} |",
            row.reference(),
            cell.rate_bps as f64 / 1e6,
            cell.rtt_ms,
            100.0 * cell.loss,
            cell.objects,
            cell.object_bytes,
            measures.join(" | "),
            row.measures[0].median_ratio,
        );
    }
    println!("\n| configuration | cells | T | P25 | P50 | allowed | |\n|---|---|---|---|---|---|---|");
    for configuration in Configuration::all(rows) {
        println!(
            "| {} | {} | {} | {} % | {} |",
            configuration.reference,
            configuration.cells,
            configuration.ratios.map(|ratio| format!("{ratio:.3}")).join(" | "),
            100.0 * configuration.tolerance(),
            if configuration.passes() { "pass" } else { "miss" },
        );
    }
    let (count, far) = count_far(rows);
    let (allowed, verdict) = (most_far(count), if all_pass(rows) { "pass" } else { "miss" });
    println!(
        "\n{far} of {count} cells have a |z| ≥ 3 (chance alone explains up to {allowed}). All criteria: {verdict}."
    );
}

fn measure(measure: &Measure) -> String {
    let z = measure.z.map_or_else(String::new, |z| format!(", z {z:+.1}"));
    format!("{:.3} = {:.2}{z}", measure.ours.mean, measure.ratio)
}
