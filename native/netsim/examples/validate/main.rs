mod page;
mod tcp_load;
use netsim::link::*;
use std::time::Duration;
fn main() {
    let text = std::fs::read_to_string("/work/shared/reference/tcp-kernel.json").unwrap();
    let cells: serde_json::Value = serde_json::from_str(&text).unwrap();
    let only = std::env::args().nth(1).unwrap_or_default();
    let seeds: u64 = std::env::args().nth(2).and_then(|s| s.parse().ok()).unwrap_or(200);
    for cell in cells.as_array().unwrap() {
        let config = cell["config"].as_str().unwrap().to_lowercase();
        if !only.is_empty() && !only.contains(&config) {
            continue;
        }
        let profile = netsim::tcp::Profile::named(&format!("reference-{config}")).unwrap();
        let loss = cell["loss"].as_f64().unwrap();
        let rtt = cell["rttMs"].as_f64().unwrap();
        let path =
            PathParams::symmetric(1_000_000, Duration::from_millis(rtt as u64), LossModel::Bernoulli { rate: loss });
        let page = page::Page::reference(10, 10_000);
        let mut columns = vec![Vec::new(); 4];
        for seed in 1..=seeds {
            if let Some(p) = tcp_load::load(&page, profile, path.clone(), seed) {
                for i in 0..4 {
                    columns[i].push(p.seconds(i));
                }
            } else {
                println!("seed {seed} failed");
            }
        }
        for c in &mut columns {
            c.sort_by(f64::total_cmp);
        }
        let med = |i: usize| {
            let c: &Vec<f64> = &columns[i];
            (c[(c.len() - 1) / 2] + c[c.len() / 2]) / 2.0
        };
        let mean = columns[3].iter().sum::<f64>() / columns[3].len() as f64;
        let r = |k: &str| cell["PEach"][k]["median"].as_f64().unwrap();
        println!(
            "{config} rtt {rtt} loss {loss:<5} T {:.3}/{:.3} = {:.3}  P25 {:.3} P50 {:.3}/{:.3} = {:.3}  mean {:.3}/{:.3} = {:.3}",
            med(3),
            r("100"),
            med(3) / r("100"),
            med(0) / r("25"),
            med(1),
            r("50"),
            med(1) / r("50"),
            mean,
            cell["T"]["mean"].as_f64().unwrap(),
            mean / cell["T"]["mean"].as_f64().unwrap()
        );
    }
}
