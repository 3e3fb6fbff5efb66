use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Returns the random numbers for the consumer `name` in a run with this seed.
///
/// Each name has its own stream: the stream number of ChaCha is the FNV-1a hash of the name. A new consumer therefore
/// never changes the random numbers of other consumers. The generator gives the same numbers on every platform.
pub fn random_stream(seed: u64, name: &str) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(fnv1a(name.as_bytes()));
    rng
}

/// Returns a uniformly distributed number in [0, 1) with 53 random bits.
pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// The 64-bit FNV-1a hash, with the constants of draft-eastlake-fnv §5.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_name_give_the_same_numbers() {
        assert_eq!(random_stream(7, "loss/down").next_u64(), random_stream(7, "loss/down").next_u64());
    }

    #[test]
    fn another_name_or_seed_gives_other_numbers() {
        let number = random_stream(7, "loss/down").next_u64();
        assert_ne!(number, random_stream(7, "loss/up").next_u64());
        assert_ne!(number, random_stream(8, "loss/down").next_u64());
    }

    #[test]
    fn the_generator_stays_the_same_between_releases() {
        let numbers: Vec<u64> = {
            let mut rng = random_stream(1, "loss/down");
            (0..3).map(|_| rng.next_u64()).collect()
        };
        assert_eq!(numbers, GOLDEN);
    }

    const GOLDEN: [u64; 3] = [3_010_308_883_326_973_027, 16_409_231_480_164_326_121, 1_077_886_096_377_863_621];
}
